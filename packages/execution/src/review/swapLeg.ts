import { type Engine, isZeroForOne, type QuoteStep } from "@millrace/core";
import { legNameOf } from "@millrace/protocols";
import type { SwapLeg } from "../SwapIntent.ts";

/** A step through a pool as a router is told of it. */
export function swapLeg(
  { graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">,
  { pool, ...step }: QuoteStep,
): SwapLeg {
  const { tokenIn, tokenOut, amountIn, amountOut } = step;
  const positionIn = graph.poolPosition(pool, tokenIn);
  const positionOut = graph.poolPosition(pool, tokenOut);
  const dex = graph.dexes[graph.poolDex[pool]!]!;
  return {
    pool: graph.poolAddress(pool),
    dexId: dex.id,
    protocol: legNameOf(dex.protocol, graph.curveNames[graph.poolCurve[pool]!]!),
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    zeroForOne: isZeroForOne(positionIn),
    feePips: familyOf(pool).feePips(pool, positionIn, positionOut),
    parameter: graph.poolParameter[pool]!,
    amountIn,
    amountOut,
  };
}

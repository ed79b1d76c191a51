import { type Engine, isZeroForOne, type QuoteStep } from "@millrace/core";
import { calldataProtocols, legNameOf } from "@millrace/protocols";
import type { SwapLeg } from "../SwapIntent.ts";

const POOL_KEYS = new Map(calldataProtocols.map(({ name, poolKey }) => [name, poolKey]));

/** A step through a pool as a router is told of it. */
export function swapLeg(
  { graph, familyOf }: Pick<Engine["Service"], "graph" | "familyOf">,
  { pool, ...step }: QuoteStep,
): SwapLeg {
  const { tokenIn, tokenOut, amountIn, amountOut } = step;
  const positionIn = graph.poolPosition(pool, tokenIn);
  const positionOut = graph.poolPosition(pool, tokenOut);
  const dex = graph.dexes[graph.poolDex[pool]!]!;
  const protocol = legNameOf(dex.protocol, graph.curveNames[graph.poolCurve[pool]!]!);
  const parameter = graph.poolParameter[pool]!;
  const key = POOL_KEYS.get(protocol)?.({ parameter, constants: graph.poolConstants(pool) });
  return {
    pool: graph.poolAddress(pool),
    dexId: dex.id,
    protocol,
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    zeroForOne: isZeroForOne(positionIn),
    feePips: familyOf(pool).feePips(pool, positionIn, positionOut),
    parameter,
    ...(key !== undefined && { key: { ...key, manager: dex.factory } }),
    amountIn,
    amountOut,
  };
}

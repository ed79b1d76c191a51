import { type Engine, isZeroForOne, type QuoteStep } from "@millrace/core";
import { calldataProtocols, legNameOf } from "@millrace/protocols";
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
  const protocol = legNameOf(dex.protocol, graph.curveNames[graph.poolCurve[pool]!]!);
  const parameter = graph.poolParameter[pool]!;
  const constants = graph.poolConstants(pool);
  const key = KEYS.get(protocol)?.({ parameter, constants });
  return {
    pool: graph.poolAddress(pool),
    dexId: dex.id,
    protocol,
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    zeroForOne: isZeroForOne(positionIn),
    feePips: familyOf(pool).feePips(pool, positionIn, positionOut),
    parameter,
    ...(key !== undefined && { key: { manager: dex.factory, ...key } }),
    amountIn,
    amountOut,
  };
}

/** Of the protocols whose pools one contract holds, which is the DEX's factory. */
const KEYS = new Map(
  calldataProtocols.flatMap(({ name, managedKey }) => (managedKey ? [[name, managedKey]] : [])),
);

import { isZeroForOne, type PoolGraph, type QuoteStep } from "@millrace/core";
import type { SwapLeg } from "../SwapIntent.ts";

/** A step through a pool as a router is told of it. */
export function swapLeg(graph: PoolGraph, { pool, ...step }: QuoteStep): SwapLeg {
  const { tokenIn, tokenOut, amountIn, amountOut } = step;
  return {
    pool: graph.poolAddress(pool),
    dexId: graph.dexes[graph.poolDex[pool]!]!.id,
    protocol: graph.protocolNames[graph.poolProtocol[pool]!]!,
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    zeroForOne: isZeroForOne(graph.poolPosition(pool, tokenIn)),
    feePips: graph.poolFeePips[pool]!,
    parameter: graph.poolParameter[pool]!,
    amountIn,
    amountOut,
  };
}

import {
  PIECE_STRIDE,
  type PoolGraph,
  type PoolIndex,
  type TokenIndex,
} from "../graph/PoolGraph.ts";
import type { BestPath } from "./BestPath.ts";
import type { Quote, QuoteRequest, QuoteStep } from "./quote.ts";

/** The quote of the best path, which exists; `gas` is that of its swaps. */
export function quoteOfPath(
  graph: PoolGraph,
  request: QuoteRequest,
  best: BestPath,
  gas: number,
): Quote {
  const { hops, slots, amounts } = best;
  const isExactOut = request.kind === "exactOut";
  const steps: QuoteStep[] = [];
  let midPrice = 1;
  for (let index = 0; index < hops; index++) {
    const hop = isExactOut ? hops - 1 - index : index;
    const slot = slots[hop]!;
    const pool = graph.slotPool[slot]! as PoolIndex;
    const own = graph.poolToken(pool, graph.slotPositions[slot]! >> 3);
    const neighbour = graph.slotNeighbour[slot]! as TokenIndex;
    const nearer = hop === 0 ? request.amount : amounts[hop - 1]!;
    const further = amounts[hop]!;
    const pieces = isExactOut ? graph.slotOut : graph.slotIn;
    midPrice *= pieces[slot * PIECE_STRIDE + 1]! / pieces[slot * PIECE_STRIDE]!;
    steps.push(
      isExactOut
        ? { pool, tokenIn: own, tokenOut: neighbour, amountIn: further, amountOut: nearer }
        : { pool, tokenIn: neighbour, tokenOut: own, amountIn: nearer, amountOut: further },
    );
  }
  const amountIn = steps[0]!.amountIn;
  const amountOut = steps[hops - 1]!.amountOut;
  // The pieces' rates include the fees, so the rest is due to the curves.
  const impact = 1 - Number(amountOut) / (Number(amountIn) * midPrice);
  const quote: Quote = {
    found: true,
    amountIn,
    amountOut,
    steps,
    gas,
    priceImpact: Math.min(Math.max(impact, 0), 1),
    stamp: graph.stamp,
  };
  return request.gasPrice === undefined ? quote : { ...quote, typicalGas: best.typicalGas() };
}

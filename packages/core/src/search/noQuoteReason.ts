import type { PoolFamily } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { isLinked } from "./isLinked.ts";
import { isTaken } from "./isTaken.ts";
import type { PoolMask } from "./PoolMask.ts";
import type { NoQuoteReason, QuoteRequest } from "./quote.ts";

/** The search tries larger amounts: twice as much at first, 2^8 times as much later. */
const DOUBLINGS = 24;
const LEAP_BITS = 8n;
const AMOUNT_END = 1n << 128n;

/**
 * The cold path: gives the reason when nothing was found. `isFound` searches for another amount.
 */
export function noQuoteReason(
  graph: PoolGraph,
  families: ReadonlyArray<PoolFamily>,
  mask: PoolMask,
  { tokenIn, tokenOut, kind, amount: asked, maxHops }: QuoteRequest,
  isFound: (amount: bigint) => boolean,
): NoQuoteReason {
  if (!isLinked(graph, mask, tokenIn, tokenOut, maxHops)) return "NoRoute";
  if (kind === "exactOut" || !isTaken(graph, families, mask, tokenIn, asked)) {
    return "InsufficientLiquidity";
  }
  let amount = asked;
  for (let count = 0; amount < AMOUNT_END; count++) {
    amount <<= count < DOUBLINGS ? 1n : LEAP_BITS;
    if (isFound(amount)) return "AmountTooSmall";
  }
  return "InsufficientLiquidity";
}

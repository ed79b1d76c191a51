import { TRANSACTION_GAS } from "../openMarket.ts";
import type { QuoteKind, QuoteStep } from "../search/quote.ts";
import type { ExplainedMarket } from "./Explanation.ts";

type Path = ReadonlyArray<QuoteStep>;

/** Ends of paths are searched a little finer than the precision of capacities. */
const PART_BITS = 12n;

/**
 * The least input of a path that gives anything: above `tooLittle`, at most `enough`, which gives
 * something. A larger input never gives less, so a path's sufficient amounts have no gaps.
 */
export function leastThrough(
  market: ExplainedMarket,
  path: Path,
  tooLittle: bigint,
  enough: bigint,
): bigint {
  let low = tooLittle;
  let high = enough;
  while (high - low > 1n) {
    const middle = middleOf(low, high);
    if (fills(market, path, "exactIn", middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The most that a path fills, within a part in 2^12: at least `fillable`, below `tooMuch`. */
export function mostThrough(
  market: ExplainedMarket,
  path: Path,
  kind: QuoteKind,
  fillable: bigint,
  tooMuch: bigint,
): bigint {
  let low = fillable;
  let high = tooMuch;
  while (high - low > 1n + (low >> PART_BITS)) {
    const middle = middleOf(low, high);
    if (fills(market, path, kind, middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * A value between two that differ by more than 1: halves the difference of bit widths first, then
 * the distance.
 */
export function middleOf(low: bigint, high: bigint): bigint {
  const bits = BigInt(high.toString(2).length - low.toString(2).length);
  return bits > 2n ? low << (bits / 2n) : (low + high) / 2n;
}

/** Whether a path takes or gives an amount, exactly, within the gas of a transaction. */
export function fills(
  { graph, families, options }: ExplainedMarket,
  path: Path,
  kind: QuoteKind,
  amount: bigint,
): boolean {
  let gasLeft = options.gasLimit - TRANSACTION_GAS;
  let reached = amount;
  for (const { pool, tokenIn, tokenOut } of kind === "exactIn" ? path : path.toReversed()) {
    const family = families[graph.poolCurve[pool]!]!;
    const positionIn = graph.poolPosition(pool, tokenIn);
    const positionOut = graph.poolPosition(pool, tokenOut);
    const entered = reached;
    reached =
      kind === "exactIn"
        ? family.quoteExactIn(pool, positionIn, positionOut, entered)
        : family.quoteExactOut(pool, positionIn, positionOut, entered);
    // Zero, or REFUSED.
    if (reached <= 0n) return false;
    const amountIn = kind === "exactIn" ? entered : reached;
    gasLeft -= family.gas(pool, positionIn, positionOut, amountIn);
  }
  return gasLeft >= 0;
}

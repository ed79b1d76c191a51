import type { Quote, QuoteRequest } from "../search/quote.ts";
import type { ExplainedMarket } from "./explainQuote.ts";
import { fills, leastThrough } from "./pathLimits.ts";

const AMOUNT_END = 1n << 256n;
/** As the search does where it finds that more would do. */
const DOUBLINGS = 24;
const LEAP_BITS = 8n;
/** Each finds a path that begins lower: mostly it is the first, or the second. */
const ROUND_COUNT_MAX = 64;

/**
 * The least input above a refused one that gives anything; undefined where none was found. Starts
 * at an amount that does, goes down to where its path ends, and asks whether any other path takes
 * one unit less, until none does.
 */
export function findLeastInput(market: ExplainedMarket, request: QuoteRequest): bigint | undefined {
  const tooLittle = request.amount;
  const onePath = { ...request, maxSplits: 1 };
  const oneUnit = quoteOfOneUnit(market, request);
  const isEnough = oneUnit && oneUnit.amountIn > tooLittle && takes(market, oneUnit);
  const quote = isEnough ? oneUnit : quoteOfMore(market, onePath);
  if (quote === undefined) return undefined;
  let least = leastThrough(market, quote.steps, tooLittle, quote.amountIn);
  for (let round = 1; round < ROUND_COUNT_MAX && least - 1n > tooLittle; round++) {
    const other = market.router.quote({ ...onePath, amount: least - 1n });
    if (!other.found) break;
    least = leastThrough(market, other.steps, tooLittle, least - 1n);
  }
  return least;
}

/** The path that gives one unit of the output for the least input. */
export function quoteOfOneUnit(
  { router }: ExplainedMarket,
  request: QuoteRequest,
): Quote | undefined {
  const quote = router.quote({ ...request, kind: "exactOut", amount: 1n, maxSplits: 1 });
  return quote.found ? quote : undefined;
}

/**
 * Whether its path, given the input, gives something: more than asked may be too much for a pool.
 */
export function takes(market: ExplainedMarket, { steps, amountIn }: Quote): boolean {
  return fills(market, steps, "exactIn", amountIn);
}

function quoteOfMore({ router }: ExplainedMarket, request: QuoteRequest): Quote | undefined {
  let amount = request.amount;
  for (let count = 0; ; count++) {
    amount <<= count < DOUBLINGS ? 1n : LEAP_BITS;
    if (amount >= AMOUNT_END) return undefined;
    const quote = router.quote({ ...request, amount });
    if (quote.found) return quote;
  }
}

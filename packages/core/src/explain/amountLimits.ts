import type { PoolFamily } from "../Curve.ts";
import type { PoolIndex } from "../graph/PoolGraph.ts";
import { PoolMask } from "../search/PoolMask.ts";
import type { Quote, QuoteRequest } from "../search/quote.ts";
import type { ExplainedMarket } from "./Explanation.ts";
import { fills, leastThrough, middleOf, mostThrough } from "./pathLimits.ts";

/** Precision of capacities, in bits. */
const PART_BITS = 10n;
const AMOUNT_END = 1n << 256n;
/** As in the search, where it finds that a larger amount would do. */
const DOUBLINGS = 24;
const LEAP_BITS = 8n;
/** Each round finds a path with a lower start; mostly one or two are enough. */
const ROUND_COUNT_MAX = 64;

/**
 * The most that one path can fill, below the amount of a refused request; 0 where none was found.
 *
 * Goes up from a filled amount to where its path ends. Then asks whether another path takes a
 * little more, or the middle of the rest, until none takes a little more. Each round halves the
 * width of the rest, then the distance: at most some 20 rounds.
 */
export function findCapacity(market: ExplainedMarket, refusedRequest: QuoteRequest): bigint {
  const request = { ...refusedRequest, maxSplits: 1 };
  const { filled, refused } = boundsOfCapacity(market, request);
  if (filled === undefined) return 0n;
  const endOf = ({ steps }: Quote, amount: bigint, tooMuch: bigint) =>
    mostThrough(market, steps, request.kind, amount, tooMuch);
  let tooMuch = refused;
  let most = endOf(filled, amountOf(request, filled), tooMuch);
  for (;;) {
    const little = most + (most >> PART_BITS) + 1n;
    if (little >= tooMuch) return most;
    const more = market.router.quote({ ...request, amount: little });
    if (!more.found) return most;
    most = endOf(more, little, tooMuch);
    const middle = middleOf(most, tooMuch);
    if (middle <= most) return most;
    const muchMore = market.router.quote({ ...request, amount: middle });
    if (muchMore.found) most = endOf(muchMore, middle, tooMuch);
    else tooMuch = middle;
  }
}

function amountOf({ kind }: QuoteRequest, quote: Quote): bigint {
  return kind === "exactIn" ? quote.amountIn : quote.amountOut;
}

/** A quote below a refused amount, and a refused amount above the quote. */
interface CapacityBounds {
  readonly filled: Quote | undefined;
  readonly refused: bigint;
}

/**
 * Inputs are searched in steps of two down to 2^-12 of what pools can take, then in longer ones.
 */
const HALVING_COUNT = 12;
const CAPACITY_LEAP_BITS = 4n;
const AMOUNT_BITS = 256;

/** Where to look for the most that one path can fill, for a request that is too large. */
function boundsOfCapacity(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  return request.kind === "exactIn" ? boundsIn(market, request) : boundsOut(market, request);
}

/**
 * Filled inputs may have gaps, where one path ends and the next has not begun: so this searches
 * from the top down, in small steps.
 */
function boundsIn(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  let refused = lesser(request.amount, mostTaken(market, request) + 1n);
  for (let count = 0; refused > 1n; count++) {
    const amount = refused >> (count < HALVING_COUNT ? 1n : CAPACITY_LEAP_BITS) || 1n;
    const filled = market.router.quote({ ...request, amount });
    if (filled.found) return { filled, refused };
    refused = amount;
  }
  const filled = quoteOfOneUnit(market, request);
  const isLess = filled !== undefined && filled.amountIn < request.amount;
  return { filled: isLess && takes(market, filled) ? filled : undefined, refused: request.amount };
}

/** Outputs have no gaps: a path that gives an amount gives all lesser ones. So the steps grow. */
function boundsOut(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  let refused = lesser(request.amount, mostGiven(market, request) + 1n);
  for (let bits = 1n; refused > 1n; bits *= 2n) {
    const amount = refused >> bits || 1n;
    const filled = market.router.quote({ ...request, amount });
    if (filled.found) return { filled, refused };
    refused = amount;
  }
  return { filled: undefined, refused };
}

/** At least the most that any allowed pool takes of the input. */
function mostTaken(market: ExplainedMarket, { tokenIn, filter }: QuoteRequest): bigint {
  let most = 0;
  forEachSlot(market, tokenIn, filter, (family, pool, own, other) => {
    most = Math.max(most, family.capacityIn(pool, own, other));
  });
  return BigInt(Math.ceil(Math.min(most, 2 ** AMOUNT_BITS)));
}

/** At least the most that any allowed pool gives of the output, and less than twice that. */
function mostGiven(market: ExplainedMarket, { tokenOut, filter }: QuoteRequest): bigint {
  let bits = 0;
  forEachSlot(market, tokenOut, filter, (family, pool, own, other) => {
    const isGiven = () => Number.isFinite(family.estimateExactOut(pool, other, own, 2 ** bits));
    while (bits < AMOUNT_BITS && isGiven()) bits++;
  });
  return 1n << BigInt(bits);
}

/** Visits each allowed pool of a token, with each other token of the pool, by positions. */
function forEachSlot(
  { graph, families }: ExplainedMarket,
  token: number,
  filter: QuoteRequest["filter"],
  visit: (family: PoolFamily, pool: PoolIndex, own: number, other: number) => void,
): void {
  const { poolCurve, slotEnd, slotPool, slotPositions, slotStart } = graph;
  const mask = new PoolMask(graph);
  mask.set(filter);
  for (let slot = slotStart[token]!; slot < slotEnd[token]!; slot++) {
    const pool = slotPool[slot]! as PoolIndex;
    if (mask.blocks(pool)) continue;
    const positions = slotPositions[slot]!;
    visit(families[poolCurve[pool]!]!, pool, positions >> 3, positions & 7);
  }
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/**
 * The least input above a refused one that gives anything; undefined where none was found. Starts
 * at an amount that gives something, goes down to where its path ends, and asks whether another
 * path takes one unit less, until none does.
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
function quoteOfOneUnit({ router }: ExplainedMarket, request: QuoteRequest): Quote | undefined {
  const quote = router.quote({ ...request, kind: "exactOut", amount: 1n, maxSplits: 1 });
  return quote.found ? quote : undefined;
}

/** Whether the quote's path gives something for its input: it may be too much for a pool. */
function takes(market: ExplainedMarket, { steps, amountIn }: Quote): boolean {
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

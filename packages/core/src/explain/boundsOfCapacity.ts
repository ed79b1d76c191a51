import type { PoolIndex } from "../graph/PoolGraph.ts";
import type { PoolFamily } from "../Protocol.ts";
import { PoolMask } from "../search/PoolMask.ts";
import type { Quote, QuoteRequest } from "../search/quote.ts";
import type { ExplainedMarket } from "./explainQuote.ts";
import { quoteOfOneUnit, takes } from "./findLeastInput.ts";

/** A quote of less than a refused request, and an amount above it that is refused. */
interface CapacityBounds {
  readonly filled: Quote | undefined;
  readonly refused: bigint;
}

/** Inputs are sought in steps of two down to 2^-12 of what pools can take, then in longer ones. */
const HALVING_COUNT = 12;
const LEAP_BITS = 4n;
const AMOUNT_BITS = 256;

/** Where to look for the most that one path can fill, of a request that is too large. */
export function boundsOfCapacity(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  return request.kind === "exactIn" ? boundsIn(market, request) : boundsOut(market, request);
}

/**
 * Inputs that are filled may have gaps, where one path ends and what another takes has not begun:
 * so from the top down, in small steps.
 */
function boundsIn(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  let refused = least(request.amount, mostTaken(market, request) + 1n);
  for (let count = 0; refused > 1n; count++) {
    const amount = refused >> (count < HALVING_COUNT ? 1n : LEAP_BITS) || 1n;
    const filled = market.router.quote({ ...request, amount });
    if (filled.found) return { filled, refused };
    refused = amount;
  }
  const filled = quoteOfOneUnit(market, request);
  const isLess = filled !== undefined && filled.amountIn < request.amount;
  return { filled: isLess && takes(market, filled) ? filled : undefined, refused: request.amount };
}

/** Outputs have no gaps: who gives one gives all that are less. So in ever longer steps. */
function boundsOut(market: ExplainedMarket, request: QuoteRequest): CapacityBounds {
  let refused = least(request.amount, mostGiven(market, request) + 1n);
  for (let bits = 1n; refused > 1n; bits *= 2n) {
    const amount = refused >> bits || 1n;
    const filled = market.router.quote({ ...request, amount });
    if (filled.found) return { filled, refused };
    refused = amount;
  }
  return { filled: undefined, refused };
}

/** At least what any allowed pool takes of the input. */
function mostTaken(market: ExplainedMarket, { tokenIn, filter }: QuoteRequest): bigint {
  let most = 0;
  forEachSlot(market, tokenIn, filter, (family, pool, own, other) => {
    most = Math.max(most, family.capacityIn(pool, own, other));
  });
  return BigInt(Math.ceil(Math.min(most, 2 ** AMOUNT_BITS)));
}

/** At least what any allowed pool gives of the output, and less than twice that. */
function mostGiven(market: ExplainedMarket, { tokenOut, filter }: QuoteRequest): bigint {
  let bits = 0;
  forEachSlot(market, tokenOut, filter, (family, pool, own, other) => {
    const isGiven = () => Number.isFinite(family.estimateExactOut(pool, other, own, 2 ** bits));
    while (bits < AMOUNT_BITS && isGiven()) bits++;
  });
  return 1n << BigInt(bits);
}

/** Visits each allowed pool of a token with each other token of it, by their positions. */
function forEachSlot(
  { graph, families }: ExplainedMarket,
  token: number,
  filter: QuoteRequest["filter"],
  visit: (family: PoolFamily, pool: PoolIndex, own: number, other: number) => void,
): void {
  const { poolProtocol, slotPool, slotPositions, slotStart } = graph;
  const mask = new PoolMask(graph);
  mask.set(filter);
  for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
    const pool = slotPool[slot]! as PoolIndex;
    if (mask.blocks(pool)) continue;
    const positions = slotPositions[slot]!;
    visit(families[poolProtocol[pool]!]!, pool, positions >> 3, positions & 7);
  }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

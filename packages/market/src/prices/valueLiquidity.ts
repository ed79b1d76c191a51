import { enlarged } from "../enlarged.ts";
import { sortByKey } from "../lists/sorting.ts";
import type { PoolMeasures } from "./PoolMeasures.ts";
import { UNSETTLED } from "./TokenPrices.ts";
import type { Valuation } from "./Valuation.ts";

/** The tokens in pools count for at most this many times what they can be redeemed for. */
const CREDIT = 100;
const POOLS_A_SLICE = 512;
const TOKENS_A_SLICE = 64;

/**
 * Liquidity in dollars: what a pool really holds of each token, at the token's price. A token
 * counts its own side of its pools, so that the sum over tokens is the sum over pools; a side
 * without a price counts 0.
 *
 * Amounts of a token that its maker can print are not worth their price. Two rules bound them:
 * - In a pool, a side counts in full up to the depth that backs its token's price; beyond that, no
 *   more than the side whose token is backed best.
 * - All amounts of a token in pools together count at most CREDIT times what they can be redeemed
 *   for: what its pools hold of tokens settled before it, as far as these can be redeemed
 *   themselves, divided equally where several of the pool's tokens are settled after those. So a
 *   dollar that a forger locks shows as at most a hundred for each step away from the anchors, over
 *   any number of tokens and pools.
 */
export function* valueLiquidity(valuation: Valuation, measures: PoolMeasures): Generator<void> {
  const { topology, settledAt, unitPriceUsd } = valuation;
  const { poolCount, poolTokenCount, poolTokenStart, poolTokens } = topology;
  yield* creditTokens(valuation, measures);
  const { credit } = valuation;
  for (let pool = 0; pool < poolCount; pool++) {
    valuePool(pool);
    if (pool % POOLS_A_SLICE === 0) yield;
  }

  function valuePool(pool: number): void {
    const count = poolTokenCount[pool]!;
    const start = poolTokenStart[pool]!;
    let best = UNSETTLED;
    for (let position = 0; position < count; position++) {
      const at = settledAt[poolTokens[start + position]!]!;
      if (at === UNSETTLED) continue;
      if (best === UNSETTLED || at < settledAt[poolTokens[start + best]!]!) best = position;
    }
    if (best === UNSETTLED) return;
    const bestUsd = sideUsd(pool, best);
    let sum = 0;
    for (let position = 0; position < count; position++) {
      const token = poolTokens[start + position]!;
      const usd = Math.min(sideUsd(pool, position), Math.max(bestUsd, backedUsd(token)));
      valuation.tokenLiquidityUsd[token]! += usd;
      sum += usd;
    }
    valuation.poolLiquidityUsd[pool] = sum;
  }

  function backedUsd(token: number): number {
    const isAnchor = valuation.widthUsd[token] === Number.POSITIVE_INFINITY;
    return isAnchor ? Number.POSITIVE_INFINITY : valuation.depthUsd[token]!;
  }

  function sideUsd(pool: number, position: number): number {
    const token = poolTokens[poolTokenStart[pool]! + position]!;
    const held = measures.own[measures.cellStart[pool]! + position * (poolTokenCount[pool]! + 1)]!;
    return held * unitPriceUsd[token]! * credit[token]!;
  }
}

/** Sorts all tokens by liquidity, the most liquid first, ties by address. */
export function* rankByLiquidity(valuation: Valuation): Generator<void> {
  const { catalogue, tokenLiquidityUsd } = valuation;
  const order = yield* sortByKey(catalogue.tokensByAddress, tokenLiquidityUsd, true);
  const rank = enlarged(valuation.byLiquidity.rank, order.length);
  for (let position = 0; position < order.length; position++) rank[order[position]!] = position;
  valuation.byLiquidity = { order, rank };
}

/** For each token, the part of its price that its amounts in pools are credited with, 0 … 1. */
function* creditTokens(valuation: Valuation, measures: PoolMeasures): Generator<void> {
  const { topology, settled, settledCount, settledAt, unitPriceUsd, widthUsd } = valuation;
  const { poolTokenCount, slotEnd, slotNeighbour, slotPool, slotPositions, slotStart } = topology;
  yield* sumLocked(valuation, measures);
  const { lockedUsd, redeemable, credit } = valuation;
  for (let rank = 0; rank < settledCount; rank++) {
    const token = settled[rank]!;
    if (widthUsd[token] === Number.POSITIVE_INFINITY) {
      redeemable[token] = 1;
      credit[token] = 1;
      continue;
    }
    let redeemableUsd = 0;
    for (let slot = slotStart[token]!; slot < slotEnd[token]!; slot++) {
      const other = slotNeighbour[slot]!;
      if (settledAt[other] === UNSETTLED || settledAt[other]! > rank) continue;
      const pool = slotPool[slot]!;
      const position = slotPositions[slot]! & 7;
      const held =
        measures.own[measures.cellStart[pool]! + position * (poolTokenCount[pool]! + 1)]!;
      const usd = held * unitPriceUsd[other]! * redeemable[other]!;
      redeemableUsd += usd / settledAfter(pool, settledAt[other]!);
    }
    const part = lockedUsd[token]! > 0 ? redeemableUsd / lockedUsd[token]! : 0;
    redeemable[token] = Math.min(1, part);
    credit[token] = Math.min(1, CREDIT * part);
    if (rank % TOKENS_A_SLICE === 0) yield;
  }

  /** How many of a pool's tokens are settled after a place. */
  function settledAfter(pool: number, place: number): number {
    const { poolTokens, poolTokenStart } = topology;
    const start = poolTokenStart[pool]!;
    let after = 0;
    for (let at = start; at < start + poolTokenCount[pool]!; at++) {
      const own = settledAt[poolTokens[at]!]!;
      if (own !== UNSETTLED && own > place) after++;
    }
    return after;
  }
}

/** For each token, the value of what all pools hold of it. */
function* sumLocked(valuation: Valuation, measures: PoolMeasures): Generator<void> {
  const { poolCount, poolTokenCount, poolTokenStart, poolTokens } = valuation.topology;
  const { lockedUsd } = valuation;
  for (let pool = 0; pool < poolCount; pool++) {
    const count = poolTokenCount[pool]!;
    for (let position = 0; position < count; position++) {
      const token = poolTokens[poolTokenStart[pool]! + position]!;
      const held = measures.own[measures.cellStart[pool]! + position * (count + 1)]!;
      lockedUsd[token]! += held * valuation.unitPriceUsd[token]!;
    }
    if (pool % POOLS_A_SLICE === 0) yield;
  }
}

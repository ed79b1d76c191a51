import type { PoolMeasures } from "./PoolMeasures.ts";
import { type Observation, shareWidths } from "./shareWidths.ts";
import { TokenHeap } from "./TokenHeap.ts";
import { UNSETTLED, type Valuation } from "./Valuation.ts";

/** An anchor of the graph. */
export interface AnchorToken {
  readonly token: number;
  readonly priceUsd: number;
}

/** Sources within this of the price agree with it; it is also the move that depth is measured by. */
const AGREEMENT = 0.02;
/** Dollars of one whole token; above that a price is no price. Keeps every product of ours finite. */
const PRICE_USD_MAX = 1e15;
/** Index: decimals. */
const POWERS_OF_TEN = Float64Array.from({ length: 256 }, (_, decimals) => 10 ** decimals);

/**
 * Prices every token that a path of deep enough pools joins to an anchor.
 *
 * Tokens are settled from the anchors outwards, the one behind the widest path first (Dijkstra
 * with min for plus). A token's price is the depth-weighted median of what its pools with tokens
 * settled before say: each pool says its mid price times the neighbour's price, and weighs the
 * dollars that move it by 2 %, measured in the neighbour, and no more than the neighbour's own
 * width. A median, since an absurd price then weighs no more than a slightly wrong one: it takes
 * half of the depth to move it. And it is the price of one real path, which can be shown.
 */
export function* settlePrices(
  valuation: Valuation,
  measures: PoolMeasures,
  anchors: ReadonlyArray<AnchorToken>,
  depthFloorUsd: number,
): Generator<void> {
  const { tokenCount, tokenDecimals } = valuation.topology;
  const heap = new TokenHeap(tokenCount);
  for (const { token, priceUsd } of anchors) {
    valuation.priceUsd[token] = priceUsd;
    valuation.unitPriceUsd[token] = priceUsd / POWERS_OF_TEN[tokenDecimals[token]!]!;
    valuation.confidence[token] = 1;
    heap.raise(token, Number.POSITIVE_INFINITY);
  }
  for (let token = heap.take(); token !== -1; token = heap.take()) {
    const width = heap.width(token);
    if (width < Number.POSITIVE_INFINITY) price(token);
    valuation.widthUsd[token] = width;
    valuation.settledAt[token] = valuation.settledCount;
    valuation.settled[valuation.settledCount++] = token;
    widenNeighbours(token, width);
    yield;
  }

  function widenNeighbours(from: number, width: number): void {
    const { slotStart, slotNeighbour, slotPool, slotPositions } = valuation.topology;
    for (let slot = slotStart[from]!; slot < slotStart[from + 1]!; slot++) {
      const token = slotNeighbour[slot]!;
      if (valuation.settledAt[token] !== UNSETTLED) continue;
      const own = slotPositions[slot]! >> 3;
      const other = slotPositions[slot]! & 7;
      const depth = depthUsd(slotPool[slot]!, other, own, from, token);
      if (depth > 0 && heap.raise(token, Math.min(width, depth)))
        valuation.widestFrom[token] = from;
    }
  }

  /** Dollars that move by 2 % what a pool says of a token by a settled one; 0 if it must not say. */
  function depthUsd(
    pool: number,
    position: number,
    fromPosition: number,
    from: number,
    token: number,
  ): number {
    const count = valuation.topology.poolTokenCount[pool]!;
    const cell = measures.cellStart[pool]! + fromPosition * count + position;
    const depth = measures.own[cell]! * valuation.unitPriceUsd[from]!;
    if (depth < depthFloorUsd) return 0;
    const priceUsd =
      unitPrice(pool, position, fromPosition, from) * POWERS_OF_TEN[tokenDecimals[token]!]!;
    // Comparisons that NaN fails: extreme pools may overflow or underflow.
    return priceUsd > 0 && priceUsd <= PRICE_USD_MAX ? depth : 0;
  }

  function unitPrice(pool: number, position: number, fromPosition: number, from: number): number {
    const count = valuation.topology.poolTokenCount[pool]!;
    const cell = measures.cellStart[pool]! + position * count + fromPosition;
    return measures.midPrice[cell]! * valuation.unitPriceUsd[from]!;
  }

  /** Prices a token by its settled neighbours; the one that widened it is among them. */
  function price(token: number): void {
    const observations = shareWidths(valuation, observe(token));
    const total = sumOfWeights(observations);
    observations.sort((a, b) => a.unitPriceUsd - b.unitPriceUsd || a.pool - b.pool);
    const median = weightedMedian(observations, total);
    const agreeing = sumOfWeights(observations.filter((other) => agree(other, median)));
    valuation.unitPriceUsd[token] = median.unitPriceUsd;
    valuation.priceUsd[token] = median.unitPriceUsd * POWERS_OF_TEN[tokenDecimals[token]!]!;
    valuation.priceFrom[token] = median.from;
    valuation.pricePool[token] = median.pool;
    valuation.depthUsd[token] = agreeing;
    valuation.confidence[token] =
      valuation.confidence[median.from]! *
      (agreeing / total) *
      (agreeing / (agreeing + depthFloorUsd));
  }

  /** What each pool with a settled neighbour says of a token. */
  function observe(token: number): Observation[] {
    const { slotStart, slotNeighbour, slotPool, slotPositions } = valuation.topology;
    const observations: Observation[] = [];
    for (let slot = slotStart[token]!; slot < slotStart[token + 1]!; slot++) {
      const from = slotNeighbour[slot]!;
      if (valuation.settledAt[from] === UNSETTLED) continue;
      const pool = slotPool[slot]!;
      const position = slotPositions[slot]! >> 3;
      const fromPosition = slotPositions[slot]! & 7;
      const depth = depthUsd(pool, position, fromPosition, from, token);
      if (depth === 0) continue;
      const unitPriceUsd = unitPrice(pool, position, fromPosition, from);
      const weight = Math.min(depth, valuation.widthUsd[from]!);
      observations.push({ from, pool, unitPriceUsd, weight });
    }
    return observations;
  }
}

function agree(a: Observation, b: Observation): boolean {
  return Math.abs(a.unitPriceUsd / b.unitPriceUsd - 1) <= AGREEMENT;
}

function sumOfWeights(observations: ReadonlyArray<Observation>): number {
  let sum = 0;
  for (const { weight } of observations) sum += weight;
  return sum;
}

/** Of observations by ascending price, the first with half of all weight at or below it. */
function weightedMedian(observations: ReadonlyArray<Observation>, total: number): Observation {
  let below = 0;
  for (const observation of observations) {
    below += observation.weight;
    if (2 * below >= total) return observation;
  }
  return observations.at(-1)!;
}

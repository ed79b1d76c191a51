import type { Observations } from "./Observations.ts";
import { shareWidths } from "./shareWidths.ts";
import { POWERS_OF_TEN, type TokenPrices, UNSETTLED } from "./TokenPrices.ts";

/** Sources this close to the price agree with it; depth is measured by the same move. */
const AGREEMENT = 0.02;
/** Dollars of one whole token; anything above is not a price. Keeps every product finite. */
const PRICE_USD_MAX = 1e15;
/**
 * The share of its own width that a token passes on. Each step away from the anchors costs a tenth,
 * so that of two equally deep paths the shorter is wider, and no path goes on for ever: from a
 * billion down to a floor of 1,000 dollars, it is 131 pools.
 */
const PASSED_ON = 0.9;

/**
 * Adds what a pool says about a token through a neighbour that is already priced, and gives its
 * weight: 0 when it must not count and is not added, since less than the floor backs it, or is
 * passed on to it. `backing` smallest units of the neighbour back the price; one smallest unit of
 * the token is worth `midPrice` of them.
 */
export function observe(
  observations: Observations,
  prices: TokenPrices,
  from: number,
  pool: number,
  midPrice: number,
  backing: number,
  decimals: number,
  depthFloorUsd: number,
): number {
  const weight = observedWeight(prices, from, midPrice, backing, decimals, depthFloorUsd);
  if (weight > 0) observations.add(from, pool, midPrice * prices.unitPriceUsd[from]!, weight);
  return weight;
}

/** The weight of such an observation; 0 when there is none. */
export function observedWeight(
  prices: TokenPrices,
  from: number,
  midPrice: number,
  backing: number,
  decimals: number,
  depthFloorUsd: number,
): number {
  const depthUsd = backing * prices.unitPriceUsd[from]!;
  const weight = Math.min(depthUsd, PASSED_ON * prices.widthUsd[from]!);
  if (!(weight > 0 && weight >= depthFloorUsd && weight < Number.POSITIVE_INFINITY)) return 0;
  const priceUsd = midPrice * prices.unitPriceUsd[from]! * POWERS_OF_TEN[decimals]!;
  // NaN fails these comparisons: extreme pools may overflow or underflow.
  return priceUsd > 0 && priceUsd <= PRICE_USD_MAX ? weight : 0;
}

/**
 * Writes a token's price from what its pools say, at least one of them: the weighted median. Each
 * observation weighs the dollars that move it by 2 %, and no more than the neighbour passes on;
 * what one pool says through several neighbours weighs no more than the weightiest of these. A
 * median, since an absurd price then weighs no more than a slightly wrong one: it takes half of the
 * depth to move it. And it is the price of one real path, which can be shown.
 *
 * Only neighbours that could pass on the token's whole width count: so widths shrink along the path
 * of every price. Nothing depends on indexes: `comparePools` is negative when the pool with the
 * lower address comes first, and sums are added in order of price.
 *
 * Confidence is the share of the weight that agrees, each source at its own confidence, lowered
 * near the floor.
 */
export function priceToken(
  prices: TokenPrices,
  token: number,
  said: Observations,
  comparePools: (a: number, b: number) => number,
  decimals: number,
  depthFloorUsd: number,
): void {
  const { confidence } = prices;
  let width = 0;
  for (let at = 0; at < said.length; at++) width = Math.max(width, said.weight[at]!);
  said.keepBacked(prices, PASSED_ON, width);
  said.sort(prices, comparePools);
  sharePools(said);
  shareWidths(prices, said);
  let total = 0;
  for (let at = 0; at < said.length; at++) total += said.weight[at]!;
  const median = weightedMedian(said, total);
  const unitPriceUsd = said.unitPriceUsd[median]!;
  let agreeing = 0;
  let trusted = 0;
  for (let at = 0; at < said.length; at++) {
    if (!(Math.abs(said.unitPriceUsd[at]! / unitPriceUsd - 1) <= AGREEMENT)) continue;
    agreeing += said.weight[at]!;
    trusted += said.weight[at]! * confidence[said.from[at]!]!;
  }
  prices.unitPriceUsd[token] = unitPriceUsd;
  prices.priceUsd[token] = unitPriceUsd * POWERS_OF_TEN[decimals]!;
  prices.priceFrom[token] = said.from[median]!;
  prices.pricePool[token] = said.pool[median]!;
  prices.depthUsd[token] = agreeing;
  prices.confidence[token] = (trusted / total) * (agreeing / (agreeing + depthFloorUsd));
}

/** Writes the price of an anchor, which is configured. */
export function priceAnchor(
  prices: TokenPrices,
  token: number,
  priceUsd: number,
  decimals: number,
): void {
  prices.unitPriceUsd[token] = priceUsd / POWERS_OF_TEN[decimals]!;
  prices.priceUsd[token] = priceUsd;
  prices.widthUsd[token] = Number.POSITIVE_INFINITY;
  prices.widestFrom[token] = UNSETTLED;
  prices.priceFrom[token] = UNSETTLED;
  prices.pricePool[token] = UNSETTLED;
  prices.depthUsd[token] = 0;
  prices.confidence[token] = 1;
}

/**
 * Lowers the weights of what a pool of many tokens says through several neighbours: whoever moves
 * its price of the token moves it through all of them at once.
 */
function sharePools(observations: Observations): void {
  if (!observations.isAnyPoolRepeated()) return;
  const { length, pool, weight } = observations;
  const sums = new Map<number, { all: number; most: number }>();
  for (let at = 0; at < length; at++) {
    const sum = sums.get(pool[at]!);
    if (sum === undefined) sums.set(pool[at]!, { all: weight[at]!, most: weight[at]! });
    else {
      sum.all += weight[at]!;
      sum.most = Math.max(sum.most, weight[at]!);
    }
  }
  for (let at = 0; at < length; at++) {
    const { all, most } = sums.get(pool[at]!)!;
    if (all > most) weight[at]! *= most / all;
  }
}

/**
 * Of observations by ascending price, the index of the first with at least half of all weight at or
 * below it.
 */
function weightedMedian({ length, weight }: Observations, total: number): number {
  let below = 0;
  for (let at = 0; at < length; at++) {
    below += weight[at]!;
    if (2 * below >= total) return at;
  }
  return length - 1;
}

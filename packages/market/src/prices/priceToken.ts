import { type Observation, shareWidths } from "./shareWidths.ts";
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
const FEW = 16;

/**
 * What a pool says about a token through a neighbour that is already priced. Undefined when it must
 * not count: less than the floor backs it, or is passed on to it. `backing` smallest units of the
 * neighbour back the price; one smallest unit of the token is worth `midPrice` of them.
 */
export function observation(
  prices: TokenPrices,
  from: number,
  pool: number,
  midPrice: number,
  backing: number,
  decimals: number,
  depthFloorUsd: number,
): Observation | undefined {
  const weight = observedWeight(prices, from, midPrice, backing, decimals, depthFloorUsd);
  if (weight === 0) return undefined;
  return { from, pool, unitPriceUsd: midPrice * prices.unitPriceUsd[from]!, weight };
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
  said: ReadonlyArray<Observation>,
  comparePools: (a: number, b: number) => number,
  decimals: number,
  depthFloorUsd: number,
): void {
  const { widthUsd, settledAt, confidence } = prices;
  let width = 0;
  for (const { weight } of said) width = Math.max(width, weight);
  const heard = said.filter(({ from }) => PASSED_ON * widthUsd[from]! >= width);
  if (heard.length > 1) {
    heard.sort(
      (a, b) =>
        a.unitPriceUsd - b.unitPriceUsd ||
        comparePools(a.pool, b.pool) ||
        settledAt[a.from]! - settledAt[b.from]!,
    );
  }
  const observations = shareWidths(prices, sharePools(heard));
  const total = sumOfWeights(observations);
  const median = weightedMedian(observations, total);
  let agreeing = 0;
  let trusted = 0;
  for (const other of observations) {
    if (!agree(other, median)) continue;
    agreeing += other.weight;
    trusted += other.weight * confidence[other.from]!;
  }
  prices.unitPriceUsd[token] = median.unitPriceUsd;
  prices.priceUsd[token] = median.unitPriceUsd * POWERS_OF_TEN[decimals]!;
  prices.priceFrom[token] = median.from;
  prices.pricePool[token] = median.pool;
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
function sharePools(observations: Observation[]): Observation[] {
  if (!isAnyPoolRepeated(observations)) return observations;
  const sums = new Map<number, { all: number; most: number }>();
  for (const { pool, weight } of observations) {
    const sum = sums.get(pool);
    if (sum === undefined) sums.set(pool, { all: weight, most: weight });
    else {
      sum.all += weight;
      sum.most = Math.max(sum.most, weight);
    }
  }
  for (const observation of observations) {
    const { all, most } = sums.get(observation.pool)!;
    if (all > most) observation.weight *= most / all;
  }
  return observations;
}

/** For few observations, as most tokens have, no set is made. */
function isAnyPoolRepeated(observations: ReadonlyArray<Observation>): boolean {
  if (observations.length > FEW) {
    return new Set(observations.map(({ pool }) => pool)).size < observations.length;
  }
  for (let later = 1; later < observations.length; later++) {
    for (let earlier = 0; earlier < later; earlier++) {
      if (observations[earlier]!.pool === observations[later]!.pool) return true;
    }
  }
  return false;
}

function agree(a: Observation, b: Observation): boolean {
  return Math.abs(a.unitPriceUsd / b.unitPriceUsd - 1) <= AGREEMENT;
}

function sumOfWeights(observations: ReadonlyArray<Observation>): number {
  let sum = 0;
  for (const { weight } of observations) sum += weight;
  return sum;
}

/**
 * Of observations by ascending price, the first with at least half of all weight at or below it.
 */
function weightedMedian(observations: ReadonlyArray<Observation>, total: number): Observation {
  let below = 0;
  for (const observation of observations) {
    below += observation.weight;
    if (2 * below >= total) return observation;
  }
  return observations.at(-1)!;
}

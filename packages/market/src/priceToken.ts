import { type Observation, shareWidths } from "./shareWidths.ts";
import { POWERS_OF_TEN, type TokenPrices, UNSETTLED } from "./TokenPrices.ts";

/** Sources within this of the price agree with it; it is also the move that depth is measured by. */
const AGREEMENT = 0.02;
/** Dollars of one whole token; above that a price is no price. Keeps every product of ours finite. */
const PRICE_USD_MAX = 1e15;

/**
 * What a pool says of a token by a neighbour that is priced already, or undefined when it must not
 * say anything: less than the floor backs it. Of the neighbour, `backing` smallest units back the
 * price; one smallest unit of the token is worth `midPrice` of them.
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
  const depthUsd = backing * prices.unitPriceUsd[from]!;
  if (!(depthUsd > 0 && depthUsd >= depthFloorUsd)) return undefined;
  const unitPriceUsd = midPrice * prices.unitPriceUsd[from]!;
  const priceUsd = unitPriceUsd * POWERS_OF_TEN[decimals]!;
  // Comparisons that NaN fails: extreme pools may overflow or underflow.
  if (!(priceUsd > 0 && priceUsd <= PRICE_USD_MAX)) return undefined;
  return { from, pool, unitPriceUsd, weight: Math.min(depthUsd, prices.widthUsd[from]!) };
}

/**
 * Writes a token's price by what its pools say, of which there is one at least: the median, where
 * each weighs the dollars that move it by 2 %, and no more than the neighbour's own width. A
 * median, since an absurd price then weighs no more than a slightly wrong one: it takes half of the
 * depth to move it. And it is the price of one real path, which can be shown.
 */
export function priceToken(
  prices: TokenPrices,
  token: number,
  said: Observation[],
  decimals: number,
  depthFloorUsd: number,
): void {
  const observations = shareWidths(prices, said);
  const total = sumOfWeights(observations);
  observations.sort((a, b) => a.unitPriceUsd - b.unitPriceUsd || a.pool - b.pool);
  const median = weightedMedian(observations, total);
  const agreeing = sumOfWeights(observations.filter((other) => agree(other, median)));
  prices.unitPriceUsd[token] = median.unitPriceUsd;
  prices.priceUsd[token] = median.unitPriceUsd * POWERS_OF_TEN[decimals]!;
  prices.priceFrom[token] = median.from;
  prices.pricePool[token] = median.pool;
  prices.depthUsd[token] = agreeing;
  prices.confidence[token] =
    prices.confidence[median.from]! * (agreeing / total) * (agreeing / (agreeing + depthFloorUsd));
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

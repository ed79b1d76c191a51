import { type TokenPrices, UNSETTLED } from "./TokenPrices.ts";

/** What one pool says about a token's price, through a settled neighbour. */
export interface Observation {
  readonly from: number;
  readonly pool: number;
  readonly unitPriceUsd: number;
  /** US dollars of depth. */
  weight: number;
}

/**
 * Lowers weights until all that come through one token weigh no more together than that token's own
 * width. Otherwise one thin pool with an anchor could back a thousand pools of worthless tokens
 * among each other, and they would outvote an honest one.
 *
 * The observations flow towards the anchors along the tree of widest paths. Where more flows into a
 * token than its width, everything behind it is scaled down in proportion.
 */
export function shareWidths(prices: TokenPrices, observations: Observation[]): Observation[] {
  if (observations.length < 2 || fitsEverywhere(prices, observations)) return observations;
  const { widestFrom, widthUsd, settledAt } = prices;
  const inflow = new Map<number, number>();
  for (const { from, weight } of observations) {
    inflow.set(from, (inflow.get(from) ?? 0) + weight);
    for (let token = widestFrom[from]!; token !== UNSETTLED; token = widestFrom[token]!) {
      if (inflow.has(token)) break;
      inflow.set(token, 0);
    }
  }
  // A token was settled after the one before it on its path: the latest first goes from the leaves
  // inwards.
  const tokens = [...inflow.keys()].sort((a, b) => settledAt[b]! - settledAt[a]!);
  for (const token of tokens) {
    const before = widestFrom[token]!;
    if (before === UNSETTLED) continue;
    inflow.set(before, inflow.get(before)! + Math.min(inflow.get(token)!, widthUsd[token]!));
  }
  for (const observation of observations) {
    for (let token = observation.from; token !== UNSETTLED; token = widestFrom[token]!) {
      const flow = inflow.get(token)!;
      if (flow > widthUsd[token]!) observation.weight *= widthUsd[token]! / flow;
    }
  }
  return observations;
}

/** Whether all weight together fits through each token on the way, as it mostly does. */
function fitsEverywhere(
  { widestFrom, widthUsd }: TokenPrices,
  observations: ReadonlyArray<Observation>,
): boolean {
  let total = 0;
  for (const { weight } of observations) total += weight;
  for (const { from } of observations) {
    for (let token = from; token !== UNSETTLED; token = widestFrom[token]!) {
      if (!(total <= widthUsd[token]!)) return false;
    }
  }
  return true;
}

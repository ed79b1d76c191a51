import type { Observations } from "./Observations.ts";
import { type TokenPrices, UNSETTLED } from "./TokenPrices.ts";

/**
 * Lowers weights until all that come through one token weigh no more together than that token's own
 * width. Otherwise one thin pool with an anchor could back a thousand pools of worthless tokens
 * among each other, and they would outvote an honest one.
 *
 * The observations flow towards the anchors along the tree of widest paths. Where more flows into a
 * token than its width, everything behind it is scaled down in proportion.
 */
export function shareWidths(prices: TokenPrices, observations: Observations): void {
  if (observations.length < 2 || fitsEverywhere(prices, observations)) return;
  const { widestFrom, widthUsd, settledAt } = prices;
  const { from, length, weight } = observations;
  const inflow = new Map<number, number>();
  for (let at = 0; at < length; at++) {
    inflow.set(from[at]!, (inflow.get(from[at]!) ?? 0) + weight[at]!);
    for (let token = widestFrom[from[at]!]!; token !== UNSETTLED; token = widestFrom[token]!) {
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
  for (let at = 0; at < length; at++) {
    for (let token = from[at]!; token !== UNSETTLED; token = widestFrom[token]!) {
      const flow = inflow.get(token)!;
      if (flow > widthUsd[token]!) weight[at]! *= widthUsd[token]! / flow;
    }
  }
}

/** Whether all weight together fits through each token on the way, as it mostly does. */
function fitsEverywhere(
  { widestFrom, widthUsd }: TokenPrices,
  { from, length, weight }: Observations,
): boolean {
  let total = 0;
  for (let at = 0; at < length; at++) total += weight[at]!;
  for (let at = 0; at < length; at++) {
    for (let token = from[at]!; token !== UNSETTLED; token = widestFrom[token]!) {
      if (!(total <= widthUsd[token]!)) return false;
    }
  }
  return true;
}

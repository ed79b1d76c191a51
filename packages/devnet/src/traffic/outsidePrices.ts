import type { MarketToken } from "../market/Market.ts";
import type { SeededRandom } from "../market/random.ts";

/** Share of a price's distance from where it began that it comes back in a step. */
const RETURN = 0.001;

/** Prices of a market elsewhere, which wander about where they began and never far from it. */
export interface OutsidePrices {
  readonly priceUsd: (token: MarketToken) => number;
  readonly wander: () => void;
}

export function makeOutsidePrices(
  tokens: ReadonlyArray<MarketToken>,
  random: SeededRandom,
): OutsidePrices {
  // Key: symbol. Value: logarithm of the price over where it began, without what it follows.
  const away = new Map(tokens.map(({ symbol }) => [symbol, 0]));
  const ownMove = (symbol: string | undefined) => (symbol && away.get(symbol)) || 0;
  return {
    priceUsd: ({ symbol, follows, priceUsd }) =>
      priceUsd * Math.exp(ownMove(symbol) + ownMove(follows)),
    wander: () => {
      for (const { symbol, volatility } of tokens)
        away.set(symbol, ownMove(symbol) * (1 - RETURN) + volatility * random.normal());
    },
  };
}

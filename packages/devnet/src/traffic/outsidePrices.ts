import type { MarketToken } from "../market/Market.ts";
import type { SeededRandom } from "../market/random.ts";

/** Share of a price's distance from its start that it returns in a step. */
const RETURN = 0.001;

/** A token's price in US dollars. */
export type PriceOf = (token: MarketToken) => number;

/** Prices on an outside market, which move around their start and never far from it. */
export interface OutsidePrices {
  readonly priceUsd: PriceOf;
  readonly wander: () => void;
  /** The current prices, unaffected by later moves. */
  readonly copy: () => PriceOf;
}

/** `pace`: time from one move to the next, as a share of a step. */
export function makeOutsidePrices(
  tokens: ReadonlyArray<MarketToken>,
  random: SeededRandom,
  pace = 1,
): OutsidePrices {
  // Key: symbol. Value: logarithm of price over starting price, without the followed token's part.
  const away = new Map(tokens.map(({ symbol }) => [symbol, 0]));
  const wander = () => {
    for (const { symbol, volatility } of tokens) {
      const move = Math.sqrt(pace) * volatility * random.normal();
      away.set(symbol, moveOf(away, symbol) * (1 - pace * RETURN) + move);
    }
  };
  return { priceUsd: pricesAt(away), wander, copy: () => pricesAt(new Map(away)) };
}

const pricesAt =
  (away: ReadonlyMap<string, number>): PriceOf =>
  ({ symbol, follows, priceUsd }) =>
    priceUsd * Math.exp(moveOf(away, symbol) + moveOf(away, follows));

const moveOf = (away: ReadonlyMap<string, number>, symbol: string | undefined): number =>
  (symbol && away.get(symbol)) || 0;

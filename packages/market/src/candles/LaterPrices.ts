import type { PricesNow } from "./pastPrices.ts";

/** A price says nothing about times further away than this. */
const NEAR_MS = 10 * 60_000;

/**
 * What tokens cost soon after the block at hand, while blocks of the past are read from the newest
 * to the oldest: today's prices say nothing about months ago.
 */
export class LaterPrices {
  readonly #prices = new Map<number, { readonly price: number; readonly timeMs: number }>();

  /** The prices at the end of a block. */
  note(prices: ReadonlyMap<number, number>, timeMs: number): void {
    for (const [token, price] of prices) this.#prices.set(token, { price, timeMs });
  }

  /** The price of a token within minutes of a time; 0 when unknown. */
  near(token: number, timeMs: number): number {
    const known = this.#prices.get(token);
    return known !== undefined && Math.abs(known.timeMs - timeMs) <= NEAR_MS ? known.price : 0;
  }

  /** Today's knowledge, with the price noted last in place of today's. */
  instead({ tokenPriceUsd, tokenRank, tokenDecimals }: PricesNow): PricesNow {
    return {
      tokenPriceUsd: (token) => this.#prices.get(token)?.price ?? tokenPriceUsd(token),
      tokenRank,
      tokenDecimals,
    };
  }
}

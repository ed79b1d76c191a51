import type { PricesNow } from "./pastPrices.ts";

/** How far a price may be from the time that it is to speak of. */
const NEAR_MS = 10 * 60_000;

/**
 * What tokens cost soon after the block that is looked at, while blocks of the past are read from
 * the newest to the oldest: of months ago, today's prices say nothing.
 */
export class LaterPrices {
  readonly #prices = new Map<number, { readonly price: number; readonly timeMs: number }>();

  /** The prices at the end of a block. */
  note(prices: ReadonlyMap<number, number>, timeMs: number): void {
    for (const [token, price] of prices) this.#prices.set(token, { price, timeMs });
  }

  /** Of the minutes around a time; 0 when unknown. */
  near(token: number, timeMs: number): number {
    const known = this.#prices.get(token);
    return known !== undefined && Math.abs(known.timeMs - timeMs) <= NEAR_MS ? known.price : 0;
  }

  /** What is known today, with the last price before now in the place of today's. */
  instead({ tokenPriceUsd, tokenRank, tokenDecimals }: PricesNow): PricesNow {
    return {
      tokenPriceUsd: (token) => this.#prices.get(token)?.price ?? tokenPriceUsd(token),
      tokenRank,
      tokenDecimals,
    };
  }
}

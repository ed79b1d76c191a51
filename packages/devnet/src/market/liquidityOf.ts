import { type MarketPool, type MarketToken, toUnits } from "./Market.ts";

/**
 * The liquidity of so many dollars in a range at a price, half of them in each token; computed as
 * position managers do, but in floats.
 */
export function liquidityOf(
  { token0, token1 }: MarketPool,
  ratio: number,
  { tickLower, tickUpper }: { readonly tickLower: number; readonly tickUpper: number },
  worthUsd: number,
): bigint {
  const side = (token: MarketToken) => Number(toUnits(worthUsd / 2 / token.priceUsd, token));
  const lower = 1.0001 ** (tickLower / 2);
  const upper = 1.0001 ** (tickUpper / 2);
  const price = Math.min(Math.max(Math.sqrt(ratio), lower), upper);
  const of0 = price < upper ? side(token0) / (1 / price - 1 / upper) : Infinity;
  const of1 = price > lower ? side(token1) / (price - lower) : Infinity;
  return BigInt(Math.floor(Math.min(of0, of1)));
}

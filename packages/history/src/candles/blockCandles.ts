import type { PackedSwaps } from "../blocks/blockBytes.ts";
import { type CandleDraft, candlePart, mergeCandle } from "./CandleDraft.ts";

/** Subjects of candles, by the numbers of a file: a pair of a pool, or a token. */
export const pairCandles = (pair: number): number => 2 * pair;
export const tokenCandles = (token: number): number => 2 * token + 1;

export interface PairTokens {
  readonly token0: number;
  readonly token1: number;
}

/**
 * What a block adds to the candles of each subject. The prices of a pair are those after each of
 * its swaps; the price of a token is that at the end of the block. Subjects with neither price nor
 * volume are left out.
 */
export function blockCandles(
  reader: PackedSwaps,
  block: number,
  tokensOf: (pair: number) => PairTokens,
): Map<number, CandleDraft> {
  const drafts = new Map<number, CandleDraft>();
  const add = (subject: number, price: number, volume: number) => {
    const draft = drafts.get(subject);
    const part = candlePart(price, block, volume);
    if (draft === undefined) drafts.set(subject, part);
    else mergeCandle(draft, part);
  };
  while (reader.next()) {
    const { pair, value, priceAfter, prices } = reader;
    const { token0, token1 } = tokensOf(pair);
    add(pairCandles(pair), priceAfter, value);
    add(tokenCandles(token0), prices.get(token0) ?? 0, value);
    add(tokenCandles(token1), prices.get(token1) ?? 0, value);
  }
  for (const [subject, { open, volume }] of drafts) {
    if (open === 0 && volume === 0) drafts.delete(subject);
  }
  return drafts;
}

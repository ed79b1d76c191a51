import { STREAMED_CANDLES_MAX, STREAMED_TRADES_MAX, type StreamedPrice } from "@millrace/api";
import { type CandlesOrProblem, isProblem, type TradesOrProblem } from "./channels.ts";

/** Functions that join unread data with newer data, by channel. */

/** The newest price of each token in either list. */
export const joinPrices = (
  older: ReadonlyArray<StreamedPrice>,
  newer: ReadonlyArray<StreamedPrice>,
): ReadonlyArray<StreamedPrice> => joined(older, newer, ({ token }) => token);

/**
 * At most as many trades as a message has, the newest first. Data that `isWhole` replaces the
 * older.
 */
export function joinTrades(
  older: TradesOrProblem,
  newer: TradesOrProblem,
  isWhole: boolean,
): TradesOrProblem {
  if (isWhole || isProblem(older) || isProblem(newer)) return newer;
  return joined(older, newer, ({ id }) => id)
    .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || b.logIndex - a.logIndex)
    .slice(0, STREAMED_TRADES_MAX);
}

/**
 * At most as many candles as a message has, in ascending order. Data that `isWhole` replaces the
 * older.
 */
export function joinCandles(
  older: CandlesOrProblem,
  newer: CandlesOrProblem,
  isWhole: boolean,
): CandlesOrProblem {
  if (isWhole || isProblem(older) || isProblem(newer)) return newer;
  return joined(older, newer, ({ timestamp }) => timestamp)
    .sort((a, b) => a.timestamp - b.timestamp)
    .slice(-STREAMED_CANDLES_MAX);
}

/** Items with the same key: the newer one, in the older one's place. */
const joined = <Item>(
  older: ReadonlyArray<Item>,
  newer: ReadonlyArray<Item>,
  keyOf: (item: Item) => unknown,
): Item[] => [...new Map([...older, ...newer].map((item) => [keyOf(item), item])).values()];

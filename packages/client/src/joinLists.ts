import { STREAMED_CANDLES_MAX, STREAMED_TRADES_MAX, type StreamedPrice } from "@millrace/api";
import { type CandlesOrProblem, isProblem, type TradesOrProblem } from "./channels.ts";

/** Joins of what a reader has not taken yet with what is newer, by channel. */

/** The newest price of each token of both. */
export const joinPrices = (
  older: ReadonlyArray<StreamedPrice>,
  newer: ReadonlyArray<StreamedPrice>,
): ReadonlyArray<StreamedPrice> => joined(older, newer, ({ token }) => token);

/** As many as a message has, the newest first; what `isWhole` stands for itself. */
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

/** As many as a message has, in ascending order; what `isWhole` stands for itself. */
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

/** Of equal keys the newer one, in the place of the older. */
const joined = <Item>(
  older: ReadonlyArray<Item>,
  newer: ReadonlyArray<Item>,
  keyOf: (item: Item) => unknown,
): Item[] => [...new Map([...older, ...newer].map((item) => [keyOf(item), item])).values()];

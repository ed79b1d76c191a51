import {
  CandleJson,
  Pool,
  QuoteLadder,
  StreamedBlock,
  StreamedNetwork,
  StreamedPrice,
  StreamedProblem,
  SwapQuote,
  TradeJson,
} from "@millrace/api";
import { Schema } from "effect";

export type QuoteOrProblem = SwapQuote | StreamedProblem;
export type PoolOrProblem = typeof Pool.Type | StreamedProblem;
export type TradesOrProblem = ReadonlyArray<typeof TradeJson.Type> | StreamedProblem;
export type CandlesOrProblem = ReadonlyArray<typeof CandleJson.Type> | StreamedProblem;

/** Whether data is a problem in place of a value. */
export const isProblem = <A extends object>(data: A | StreamedProblem): data is StreamedProblem =>
  "code" in data && "status" in data;

export const isPrice = Schema.is(StreamedPrice);
export const isPrices = Schema.is(Schema.Array(StreamedPrice));
export const isQuoteOrProblem = Schema.is(Schema.Union([SwapQuote, StreamedProblem]));
export const isLadder = Schema.is(QuoteLadder);
export const isPoolOrProblem = Schema.is(Schema.Union([Pool, StreamedProblem]));
export const isBlock = Schema.is(StreamedBlock);
export const isTradesOrProblem = Schema.is(
  Schema.Union([Schema.Array(TradeJson), StreamedProblem]),
);
export const isCandlesOrProblem = Schema.is(
  Schema.Union([Schema.Array(CandleJson), StreamedProblem]),
);
export const isNetworkState = Schema.is(StreamedNetwork);

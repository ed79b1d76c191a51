import {
  Pool,
  QuoteLadder,
  StreamedBlock,
  StreamedPrice,
  StreamedProblem,
  SwapQuote,
} from "@millrace/api";
import { Schema } from "effect";

/** What stands in the way of a value now; a later block may take it away. */
export type Problem = typeof StreamedProblem.Type;
export type QuoteOrProblem = SwapQuote | Problem;
export type PoolOrProblem = typeof Pool.Type | Problem;
export type Price = typeof StreamedPrice.Type;
export type Ladder = typeof QuoteLadder.Type;
export type Block = typeof StreamedBlock.Type;

/** Tells a problem from the value in whose place it was told. */
export const isProblem = <A extends object>(data: A | Problem): data is Problem =>
  "code" in data && "status" in data;

export const isPrice = Schema.is(StreamedPrice);
export const isPrices = Schema.is(Schema.Array(StreamedPrice));
export const isQuoteOrProblem = Schema.is(Schema.Union([SwapQuote, StreamedProblem]));
export const isLadder = Schema.is(QuoteLadder);
export const isPoolOrProblem = Schema.is(Schema.Union([Pool, StreamedProblem]));
export const isBlock = Schema.is(StreamedBlock);

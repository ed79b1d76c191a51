import { Schema, type Stream } from "effect";
import type { MarketBlock } from "./graph/MarketBlock.ts";

/**
 * Where a market comes from: a chain, a recording, a generator. A source is a stream of blocks of
 * one chain; the first carries the whole market, each later one what it changed.
 */
export interface MarketSource {
  readonly chainId: number;
  readonly blocks: Stream.Stream<MarketBlock, MarketSourceError>;
  /** Why the market cannot be relied on now; undefined when it can. */
  readonly obstacle?: () => string | undefined;
  /** Why there is no first block yet, in words for the operator: about the endpoints. */
  readonly diagnosis?: () => string | undefined;
  /**
   * How far back swaps were sent (see `MarketBlock.history`); absent for a source without a past.
   */
  readonly history?: () => HistoryStatus;
}

export interface HistoryStatus {
  /** Unix time in ms since which every swap was sent; undefined before the first block. */
  readonly sinceMs: number | undefined;
  /** No wanted part of the past is missing. */
  readonly isComplete: boolean;
}

/**
 * Why a source ended: its data is unreadable, or not what it claims to be; or why there was no
 * first block in time.
 */
export class MarketSourceError extends Schema.TaggedError<MarketSourceError>()(
  "MarketSourceError",
  {
    source: Schema.String,
    reason: Schema.Literals([
      "Unreadable",
      "Malformed",
      "WrongChain",
      "TimedOut",
      /** A block of the past was requested, but is not kept. */
      "NotRecorded",
    ]),
    detail: Schema.String,
  },
) {}

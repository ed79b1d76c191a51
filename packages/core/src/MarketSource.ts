import { Schema, type Stream } from "effect";
import type { MarketBlock } from "./graph/MarketBlock.ts";

/**
 * Where a market comes from: a chain, a recording, a generator. A source is a stream of blocks of
 * one chain; the first carries the whole market, each later one what it changed.
 */
export interface MarketSource {
  readonly chainId: number;
  readonly blocks: Stream.Stream<MarketBlock, MarketSourceError>;
  /** Why the market as it stands cannot be relied on now; undefined when it can. */
  readonly obstacle?: () => string | undefined;
  /** What stands in the way of a first block, in words for who runs it: of its endpoints. */
  readonly diagnosis?: () => string | undefined;
  /** How far the past has been told (see `MarketBlock.history`); absent where there is none. */
  readonly history?: () => HistoryStatus;
}

export interface HistoryStatus {
  /** Unix time in ms since which every swap has been told; undefined before the first block. */
  readonly sinceMs: number | undefined;
  /** Nothing that is wanted of the past is missing. */
  readonly isComplete: boolean;
}

/**
 * Why a source ended: its data cannot be read, or it is not what it claims to be; or why no first
 * block came of it in time.
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
      /** A block of the past that is asked for, and not kept. */
      "NotRecorded",
    ]),
    detail: Schema.String,
  },
) {}

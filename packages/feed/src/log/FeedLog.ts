import { Data, type Effect } from "effect";

/**
 * The log of one market: entries in one order, a lease of who may write them, and the newest
 * snapshot. All that it holds is a copy of what the chain says: it may lose its end, or everything.
 */
export interface FeedLog {
  /**
   * Takes the lease for so many ms, with an epoch above `above` and above every former one;
   * undefined while anybody has it.
   */
  readonly acquire: (
    holder: string,
    leaseMs: number,
    above: number,
  ) => Effect.Effect<Lease | undefined, FeedLogError>;
  /** Whether the lease stands; it does for so many ms more. */
  readonly renew: (lease: Lease, leaseMs: number) => Effect.Effect<boolean, FeedLogError>;
  readonly release: (lease: Lease) => Effect.Effect<void, FeedLogError>;
  /** Ends the lease of every epoch up to this one: somebody has seen that one. */
  readonly depose: (epoch: number) => Effect.Effect<void, FeedLogError>;
  /**
   * Writes the entry of the lease's epoch with the number, from 1. The same entry once more is
   * written already; where the one before is not the last any more, nothing is written.
   */
  readonly append: (
    lease: Lease,
    sequence: number,
    bytes: Uint8Array,
  ) => Effect.Effect<AppendOutcome, FeedLogError>;
  /** Entries behind a position in their order, some of them; waits so many ms for a first one. */
  readonly read: (
    after: FeedPosition,
    waitMs: number,
  ) => Effect.Effect<ReadonlyArray<FeedRecord>, FeedLogError>;
  readonly standing: Effect.Effect<LogStanding, FeedLogError>;
  /** Writes a snapshot in place of the one before, unless the lease has ended. */
  readonly saveSnapshot: (
    lease: Lease,
    position: FeedPosition,
    pieces: ReadonlyArray<Uint8Array>,
  ) => Effect.Effect<AppendOutcome, FeedLogError>;
  /** The pieces of the newest snapshot; undefined where there is none. */
  readonly loadSnapshot: Effect.Effect<ReadonlyArray<Uint8Array> | undefined, FeedLogError>;
  /** Asks the leader for something. */
  readonly ask: (request: FeedRequest) => Effect.Effect<void, FeedLogError>;
  /** What was asked for, once. */
  readonly takeAsked: (lease: Lease) => Effect.Effect<ReadonlyArray<FeedRequest>, FeedLogError>;
}

/** Who may write. Of two leases the one with the higher epoch is the later one. */
export interface Lease {
  readonly holder: string;
  readonly epoch: number;
}

/** `Deposed`: the lease has ended. `Lost`: the log's end is not what was last written. */
export type AppendOutcome = "Appended" | "Deposed" | "Lost";

/** Where an entry stands: epochs one after the other, in each of them entries from 1. */
export interface FeedPosition {
  readonly epoch: number;
  readonly sequence: number;
}

export interface FeedRecord {
  readonly position: FeedPosition;
  readonly bytes: Uint8Array;
}

export interface LogStanding {
  /** Of the newest lease; 0 before there was one. */
  readonly epoch: number;
  readonly isLed: boolean;
}

/** Numbers of blocks, both included. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** To tell the swaps of these blocks once more, or to write a snapshot. */
export type FeedRequest = BlockRange | "snapshot";

export class FeedLogError extends Data.TaggedError("FeedLogError")<{
  readonly reason: "Unavailable" | "TimedOut" | "Misconfigured";
  readonly detail: string;
}> {}

/** Before all entries. */
export const LOG_START: FeedPosition = { epoch: 0, sequence: 0 };

/** Entries that a log keeps at least: a reader that is further behind begins with the snapshot. */
export const ENTRIES_KEPT = 2_048;
/** Entries that one read gives at most. */
export const ENTRIES_READ = 64;
/** Requests that wait for the leader. */
export const ASKED_MAX = 64;

export const isAfter = (one: FeedPosition, other: FeedPosition): boolean =>
  one.epoch === other.epoch ? one.sequence > other.sequence : one.epoch > other.epoch;

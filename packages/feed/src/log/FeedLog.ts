import { Data, type Effect } from "effect";

/**
 * The log of one market: entries in one order, a lease for the right to write them, and the newest
 * snapshot. The log only copies what the chain says: it may lose its end, or everything.
 */
export interface FeedLog {
  /**
   * Takes the lease for so many ms, with an epoch above `above` and above every former one.
   * Undefined while any server holds it.
   */
  readonly acquire: (
    holder: string,
    leaseMs: number,
    above: number,
  ) => Effect.Effect<Lease | undefined, FeedLogError>;
  /** Extends the lease by so many ms; false where it has ended. */
  readonly renew: (lease: Lease, leaseMs: number) => Effect.Effect<boolean, FeedLogError>;
  readonly release: (lease: Lease) => Effect.Effect<void, FeedLogError>;
  /** Ends the lease of every epoch up to this one: a server has seen entries of that epoch. */
  readonly depose: (epoch: number) => Effect.Effect<void, FeedLogError>;
  /**
   * Writes the entry of the lease's epoch with this number, from 1. Writing the same entry again
   * succeeds and changes nothing. Where the previous entry is not the log's last, nothing is
   * written.
   */
  readonly append: (
    lease: Lease,
    sequence: number,
    bytes: Uint8Array,
  ) => Effect.Effect<AppendOutcome, FeedLogError>;
  /** Some of the entries after a position, in order; waits up to so many ms for a first one. */
  readonly read: (
    after: FeedPosition,
    waitMs: number,
  ) => Effect.Effect<ReadonlyArray<FeedRecord>, FeedLogError>;
  readonly standing: Effect.Effect<LogStanding, FeedLogError>;
  /** Replaces the snapshot, unless the lease has ended. */
  readonly saveSnapshot: (
    lease: Lease,
    position: FeedPosition,
    pieces: ReadonlyArray<Uint8Array>,
  ) => Effect.Effect<AppendOutcome, FeedLogError>;
  /** The pieces of the newest snapshot; undefined where there is none. */
  readonly loadSnapshot: Effect.Effect<ReadonlyArray<Uint8Array> | undefined, FeedLogError>;
  /** Sends a request to the leader. */
  readonly ask: (request: FeedRequest) => Effect.Effect<void, FeedLogError>;
  /** The waiting requests; each is given once. */
  readonly takeAsked: (lease: Lease) => Effect.Effect<ReadonlyArray<FeedRequest>, FeedLogError>;
}

/** The right to write. Of two leases the one with the higher epoch is the later one. */
export interface Lease {
  readonly holder: string;
  readonly epoch: number;
}

/**
 * `Deposed`: the lease has ended. `Lost`: the last entry in the log is not the one written last.
 */
export type AppendOutcome = "Appended" | "Deposed" | "Lost";

/** Place of an entry: epochs ascend, and entries count from 1 in each. */
export interface FeedPosition {
  readonly epoch: number;
  readonly sequence: number;
}

export interface FeedRecord {
  readonly position: FeedPosition;
  readonly bytes: Uint8Array;
}

export interface LogStanding {
  /** Epoch of the newest lease; 0 before the first. */
  readonly epoch: number;
  readonly isLed: boolean;
}

/** Block numbers, both included. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** To publish the swaps of these blocks once more, or to write a snapshot. */
export type FeedRequest = BlockRange | "snapshot";

export class FeedLogError extends Data.TaggedError("FeedLogError")<{
  readonly reason: "Unavailable" | "TimedOut" | "Misconfigured";
  readonly detail: string;
}> {}

/** The position before all entries. */
export const LOG_START: FeedPosition = { epoch: 0, sequence: 0 };

/** A log keeps at least so many entries. A reader further behind begins with the snapshot. */
export const ENTRIES_KEPT = 2_048;
/** The most entries that one read gives. */
export const ENTRIES_READ = 64;
/** The most requests that wait for the leader. */
export const ASKED_MAX = 64;

export const isAfter = (one: FeedPosition, other: FeedPosition): boolean =>
  one.epoch === other.epoch ? one.sequence > other.sequence : one.epoch > other.epoch;

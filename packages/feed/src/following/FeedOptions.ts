import type { HistoryStatus, MarketBlock, MarketSource, MarketSourceError } from "@millrace/core";
import type { Effect, Scope } from "effect";
import type { BlockRange, FeedLog, FeedPosition } from "../log/FeedLog.ts";
import type { TakenAttachment } from "./FeedState.ts";

export interface FeedOptions {
  readonly log: FeedLog;
  readonly chainId: number;
  /** A name that no other server has. */
  readonly holder: string;
  /** The source to lead with. Without it, this server only reads. */
  readonly own?: OwnSource | undefined;
  /** Milliseconds after which a lease expires unless it is renewed. Default 2,000. */
  readonly leaseMs?: number | undefined;
  /**
   * Milliseconds without a sign of a leader after which the market cannot be relied on. Default
   * 15,000.
   */
  readonly silenceMs?: number | undefined;
  /** Entries from one snapshot to the next. Default 200. */
  readonly snapshotEntries?: number | undefined;
  /**
   * Attached to each snapshot: what was computed from all blocks so far, and maybe from later ones.
   */
  readonly attachment?: Effect.Effect<Uint8Array | undefined> | undefined;
}

/** A source of this server's own. It should give the same market as the feed. */
export interface OwnSource {
  readonly open: Effect.Effect<LeadingSource, MarketSourceError, Scope.Scope>;
  /**
   * The source is followed from the start, so that a new leader needs no time to read the market.
   */
  readonly isStandby: boolean;
}

export interface LeadingSource {
  readonly source: MarketSource;
  /** Makes the source report the swaps of blocks from … to once more, as past swaps. */
  readonly retell?: ((range: BlockRange) => void) | undefined;
}

export type FeedRole = "starting" | "follower" | "leader";

/** A server's state in its feed. */
export interface FeedStatus {
  readonly role: FeedRole;
  /** Position of the newest entry; both numbers are 0 before the first. */
  readonly position: FeedPosition;
  /**
   * Age of the newest entry when it was applied, in ms between two clocks; undefined before the
   * first.
   */
  readonly lagMs: number | undefined;
  /** Milliseconds since the last sign of a leader; undefined before the first. */
  readonly silentMs: number | undefined;
  /** How often this server became the leader. */
  readonly leases: number;
  /** Entries that this server refused. */
  readonly refusedEntries: number;
  /** How often the market was replaced by a snapshot, the first one not counted. */
  readonly resyncs: number;
  /** Entries that this server published. */
  readonly publishedEntries: number;
  readonly savedSnapshots: number;
  readonly logFailures: number;
  /** The log's last failure; undefined once the log answers again. */
  readonly problem: string | undefined;
}

/** A market read from a log, whichever server leads. */
export interface MarketFeed {
  /** The stream of `blocks` never ends, and can be run once. */
  readonly source: MarketSource & {
    readonly obstacle: () => string | undefined;
    readonly history: () => HistoryStatus;
  };
  readonly status: () => FeedStatus;
  /**
   * The attachment of the snapshot that the market began with. Given only once, since it is large.
   */
  readonly takeAttachment: () => TakenAttachment | undefined;
  /** Blocks that `source` has emitted, whether or not they were consumed yet. */
  readonly emittedCount: () => number;
  /** Publishes a note under a name. Only a leader does, once it can. */
  readonly note: (name: string, text: string) => void;
  readonly notes: () => ReadonlyMap<string, string>;
  /** Calls back synchronously with each note that has changed. */
  readonly onNote: (listener: (name: string, text: string) => void) => () => void;
  /** Whether the excluded tokens have been published. */
  readonly isExcludedKnown: () => boolean;
  /** Publishes more about the newest block. Only a leader does, once it can. */
  readonly tell: (part: Pick<MarketBlock, "excludedFromTransit">) => void;
}

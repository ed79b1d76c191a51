import type { HistoryStatus, MarketBlock, MarketSource, MarketSourceError } from "@millrace/core";
import type { Effect, Scope } from "effect";
import type { BlockRange, FeedLog, FeedPosition } from "../log/FeedLog.ts";
import type { TakenAttachment } from "./FeedState.ts";

export interface FeedOptions {
  readonly log: FeedLog;
  readonly chainId: number;
  /** Nobody else's. */
  readonly holder: string;
  /** What it can lead with; without it, it only reads. */
  readonly own?: OwnSource | undefined;
  /** How long the lease stands that is not renewed: 2,000 ms without it. */
  readonly leaseMs?: number | undefined;
  /** After so many ms without a sign of a leader the market is not relied on: 15,000 without it. */
  readonly silenceMs?: number | undefined;
  /** A snapshot is written after so many entries: 200 without it. */
  readonly snapshotEntries?: number | undefined;
  /** What a snapshot takes along: whatever was made of all blocks so far, and maybe later ones. */
  readonly attachment?: Effect.Effect<Uint8Array | undefined> | undefined;
}

/** A source of this server's own: of the same market, as far as anybody can see. */
export interface OwnSource {
  readonly open: Effect.Effect<LeadingSource, MarketSourceError, Scope.Scope>;
  /** It is followed from the start: a new leader needs no time to read the market. */
  readonly isStandby: boolean;
}

export interface LeadingSource {
  readonly source: MarketSource;
  /** Has the source tell the swaps of blocks from … to once more, as those of the past. */
  readonly retell?: ((range: BlockRange) => void) | undefined;
}

export type FeedRole = "starting" | "follower" | "leader";

/** How a server stands to its feed. */
export interface FeedStatus {
  readonly role: FeedRole;
  /** Of the newest entry; both 0 before there is one. */
  readonly position: FeedPosition;
  /** How old the newest entry was when it was applied, in ms by two clocks; undefined at first. */
  readonly lagMs: number | undefined;
  /** Since anything was heard of a leader, in ms; undefined before anything was. */
  readonly silentMs: number | undefined;
  /** Times that this server became the leader. */
  readonly leases: number;
  /** Entries that were not what should have come. */
  readonly refusedEntries: number;
  /** Times that the market was taken from a snapshot after the first. */
  readonly resyncs: number;
  /** Entries that this server published. */
  readonly publishedEntries: number;
  readonly savedSnapshots: number;
  readonly logFailures: number;
  /** What the log failed of last; undefined once it answers. */
  readonly problem: string | undefined;
}

/** A market out of a log, whoever leads. */
export interface MarketFeed {
  /** The stream of `blocks` never ends, and can be run once. */
  readonly source: MarketSource & {
    readonly obstacle: () => string | undefined;
    readonly history: () => HistoryStatus;
  };
  readonly status: () => FeedStatus;
  /** What the snapshot had along that the market began with, once: it is large. */
  readonly takeAttachment: () => TakenAttachment | undefined;
  /** Blocks that `source` has emitted, those included that nobody took on yet. */
  readonly emittedCount: () => number;
  /** Tells all servers something by a name; only a leader does, once it can. */
  readonly note: (name: string, text: string) => void;
  readonly notes: () => ReadonlyMap<string, string>;
  /** Calls back, synchronously, with each note that is another now. */
  readonly onNote: (listener: (name: string, text: string) => void) => () => void;
  /** Whether anybody has told which tokens are in the middle of no route. */
  readonly isExcludedKnown: () => boolean;
  /** Publishes more of the newest block; only a leader does, once it can. */
  readonly tell: (part: Pick<MarketBlock, "excludedFromTransit">) => void;
}

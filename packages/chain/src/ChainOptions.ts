import type { Address } from "@millrace/core";
import type { ChainDex, Protocol } from "@millrace/protocols";
import type { Disk } from "./disk/Disk.ts";
import type { QuotedSwap } from "./follow/QuotedSwap.ts";
import type { KnownRange } from "./history/KnownRange.ts";
import type { NativeToken } from "./reading/readTokens.ts";
import type { EndpointConfig } from "./rpc/Endpoints.ts";
import type { Transport } from "./rpc/Transport.ts";

/** What a chain source follows, and how. */
export interface ChainOptions {
  readonly chainId: number;
  readonly endpoints: ReadonlyArray<EndpointConfig>;
  readonly dexes: ReadonlyArray<ChainDex>;
  readonly admission: Admission;
  /**
   * The wrapped native token. Pools of the native token itself are listed with it, since the two
   * are exchanged one for one. Without it, such pools are listed with the native token as a token
   * of its own, at the address 0.
   */
  readonly wrappedNative?: Address;
  /** Symbol and name of the native token; default: ETH. */
  readonly nativeToken?: NativeToken;
  /** Address of Multicall3; default: its usual address, the same on nearly all chains. */
  readonly multicall?: Address;
  /** Time between blocks of the chain; waiting times derive from it. */
  readonly blockTimeMs: number;
  /** Number of newest blocks that can be reverted without reading the market anew; default: 64. */
  readonly journalDepth?: number;
  /** After a gap of more blocks than this, the market is read anew instead; default: 1,000. */
  readonly catchUpBlocks?: number;
  /** Which blocks' logs are proved complete; default: `always`. */
  readonly completeness?: Completeness;
  /** How logs are proved complete; default: `bloom`. */
  readonly proof?: CompletenessProof;
  /** Number of pools compared with the chain after each block; default: 2. */
  readonly auditedPools?: number;
  /** Number of swaps that the chain quotes after each block, to compare quotes; default: 4. */
  readonly auditedQuotes?: number;
  /**
   * Some of the swaps quoted since the last call, drawn by how much routes use their pools. Half of
   * the audited swaps are taken from these. Called after each block.
   */
  readonly routedSwaps?: () => ReadonlyArray<QuotedSwap>;
  /** Where snapshots are kept; without it none are kept. */
  readonly disk?: Disk;
  /** A snapshot is written when this many blocks have passed since the last one; default: 100. */
  readonly snapshotBlocks?: number;
  /**
   * How far back from the head past swaps are published, in ms of the chain's time; default: 24
   * hours; 0 publishes none. They are read in ranges, newest first. Of each range, the logs of one
   * block are compared with its logs fetched by hash, proved as configured.
   */
  readonly historyMs?: number;
  /** Blocks whose swaps the market's reader has already; they are not read again. */
  readonly knownHistory?: ReadonlyArray<KnownRange>;
  /**
   * The archive that keeps swaps of a longer past; without it, swaps are published for `historyMs`.
   */
  readonly archive?: ArchiveOptions;
  readonly transport?: Transport;
  readonly onProgress?: (progress: Progress) => void;
}

/** An archive that keeps swaps for longer than the market's reader does. */
export interface ArchiveOptions {
  /** How far back from the head the archive wants swaps, in ms of the chain's time. */
  readonly historyMs: number;
  /** The blocks whose swaps the archive has. */
  readonly known: ReadonlyArray<KnownRange>;
  /** True when the archive has room for more of the past now. */
  readonly hasRoom: () => boolean;
}

/**
 * `always`: all logs of every block are fetched and proved complete. `sampled`: only those of one
 * block in sixteen; for the others only logs of the followed kinds are fetched. `suspicion`: only
 * where the bloom may hold a followed topic of which no log came. `never`: for chains whose blooms
 * are wrong.
 */
export type Completeness = "always" | "sampled" | "suspicion" | "never";

/**
 * `bloom`: all logs together are numbered without a gap and give the bloom of the header. A missing
 * last log shows only when no other log of the block has its address and topics. `receipts`: all
 * receipts together hash to the root in the header. That leaves nothing open, but costs hashing
 * them all.
 */
export type CompletenessProof = "bloom" | "receipts";

/** Which of the discovered pools are loaded and routed. */
export interface Admission {
  /** Tokens with a given price, in US dollars; depth is counted in them. */
  readonly anchors: ReadonlyArray<{
    readonly address: Address;
    readonly decimals: number;
    readonly priceUsd: number;
  }>;
  /**
   * A pool is admitted when moving its price by 2 % takes at least this many US dollars; 0 admits
   * every pool, priced or not.
   */
  readonly depthFloorUsd: number;
  /** Pools that are admitted whatever their depth. */
  readonly pools: ReadonlyArray<Address>;
}

/** How far a long step has got. */
export interface Progress {
  readonly step: "discovery" | "depths" | "states";
  readonly done: number;
  readonly total: number;
}

/** What a chain source needs of a protocol: how its pools appear on the chain, and their curves. */
export type FollowedProtocol = Pick<Protocol, "chain" | "curves">;

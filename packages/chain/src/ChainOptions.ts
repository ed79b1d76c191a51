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
   * What pools of the native token itself are listed with: it is exchanged for that one for one.
   * Without it they are listed with the native token as one of its own, at the address 0.
   */
  readonly wrappedNative?: Address;
  /** What that one is called; ETH without it. */
  readonly nativeToken?: NativeToken;
  /** Address of Multicall3; without it, where it is on nearly all chains. */
  readonly multicall?: Address;
  /** How often the chain makes a block; grounds the waiting times. */
  readonly blockTimeMs: number;
  /** Blocks that can be reverted without reading the market anew; 64 without it. */
  readonly journalDepth?: number;
  /** A gap of more blocks than this is not followed but read anew; 1,000 without it. */
  readonly catchUpBlocks?: number;
  /** Which blocks' logs are proved complete by the header's bloom; `always` without it. */
  readonly completeness?: Completeness;
  /** What proves it; `bloom` without it. */
  readonly proof?: CompletenessProof;
  /** Pools compared with the chain after each block; 2 without it. */
  readonly auditedPools?: number;
  /** Swaps that the chain is asked for after each block, to compare quotes; 4 without it. */
  readonly auditedQuotes?: number;
  /**
   * Some of the swaps that were quoted since it was last called, of pools by how much routes lead
   * through them: half of those that the chain is asked for are of these. Called after each block.
   */
  readonly routedSwaps?: () => ReadonlyArray<QuotedSwap>;
  /** Where snapshots are kept; without it there are none. */
  readonly disk?: Disk;
  /** A snapshot is written when this many blocks have passed since the last; 100 without it. */
  readonly snapshotBlocks?: number;
  /**
   * How far back from the head the swaps of the past are published, in ms of the chain's time; 24
   * hours without it, 0 for not at all. They are read in ranges, nearest first; of each one block
   * is held against its logs by hash, proved as configured.
   */
  readonly historyMs?: number;
  /** Of which blocks the market's reader has the swaps already: they are not read again. */
  readonly knownHistory?: ReadonlyArray<KnownRange>;
  /** Where the swaps of a longer past are kept; without it they are published for `historyMs`. */
  readonly archive?: ArchiveOptions;
  readonly transport?: Transport;
  readonly onProgress?: (progress: Progress) => void;
}

/** Who keeps swaps for longer than the market's reader does. */
export interface ArchiveOptions {
  /** How far back from the head it wants them, in ms of the chain's time. */
  readonly historyMs: number;
  /** The blocks whose swaps it has. */
  readonly known: ReadonlyArray<KnownRange>;
  /** It has room for more of the past now. */
  readonly hasRoom: () => boolean;
}

/**
 * `always`: all logs of every block are fetched and their bloom compared with the header's.
 * `sampled`: of one block in sixteen; for the others only logs of the followed kinds are fetched.
 * `suspicion`: only where no log of a followed kind came though the bloom may hold one.
 * `never`: for chains whose blooms are not true.
 */
export type Completeness = "always" | "sampled" | "suspicion" | "never";

/**
 * `bloom`: all logs together are numbered without a gap and give the bloom of the header. A last
 * log that is missing shows only when no other of the block has its address and topics. `receipts`:
 * all receipts together hash to the root in the header, which leaves nothing open, and costs the
 * hashing of them all.
 */
export type CompletenessProof = "bloom" | "receipts";

/** Which of the discovered pools are loaded and routed. */
export interface Admission {
  /** Tokens whose price is given, in US dollars: depth is counted in them. */
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

/** How far a long step has come. */
export interface Progress {
  readonly step: "discovery" | "depths" | "states";
  readonly done: number;
  readonly total: number;
}

/** What a chain source needs of a protocol: how its pools show themselves, and their curves. */
export type FollowedProtocol = Pick<Protocol, "chain" | "curves">;

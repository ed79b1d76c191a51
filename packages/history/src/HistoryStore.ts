import type { Address, BlockStamp } from "@millrace/core";
import { type Effect, Schema } from "effect";
import type { HistoryBlock, HistoryTrade } from "./HistoryBlock.ts";

/**
 * Swaps, candles and states of one chain that last. What has been written answers at once; a write
 * that was acknowledged survives the end of the process and of the machine.
 */
export interface HistoryStore {
  /**
   * Keeps what the changes say, in their order, all of them or none. A block that is kept already
   * is not kept twice; one that stands in another's place replaces it.
   */
  readonly write: (changes: ReadonlyArray<HistoryChange>) => Effect.Effect<void, HistoryError>;
  /** Trades, the newest first. */
  readonly trades: (query: TradesQuery) => Effect.Effect<ReadonlyArray<HistoryTrade>, HistoryError>;
  /** Candles in which there was a price, ascending; the newest of what is asked for. */
  readonly candles: (
    query: CandlesQuery,
  ) => Effect.Effect<ReadonlyArray<HistoryCandle>, HistoryError>;
  /** Blocks in which something was swapped, ascending. */
  readonly blocks: (query: BlocksQuery) => Effect.Effect<ReadonlyArray<HistoryBlock>, HistoryError>;
  /** Ranges of blocks all of whose swaps are kept, ascending; between two is a gap. */
  readonly coverage: Effect.Effect<ReadonlyArray<CoveredRange>, HistoryError>;
  /**
   * The newest checkpoint at or before a block, and what changed from it on, up to that block:
   * nothing where there is none. Fails where some of it is damaged.
   */
  readonly states: (query: StatesQuery) => Effect.Effect<ReadonlyArray<StoredState>, HistoryError>;
  /** From the oldest checkpoint to the newest state, gaps included; undefined without any. */
  readonly stateRange: Effect.Effect<StateRange | undefined, HistoryError>;
  /** Reads all that is kept and compares checksums; what is damaged is a gap from then on. */
  readonly check: Effect.Effect<HistoryDamage, HistoryError>;
  /** Writes a copy that can be opened like the store itself, while it goes on. */
  readonly copyTo: (path: string) => Effect.Effect<void, HistoryError>;
  readonly size: Effect.Effect<HistorySize, HistoryError>;
}

export type HistoryChange =
  | { readonly kind: "block"; readonly block: HistoryBlock }
  /** Takes blocks back, and all that was made of them. */
  | { readonly kind: "revert"; readonly hashes: ReadonlyArray<string> }
  /** Takes back states of blocks, and nothing else of them. */
  | { readonly kind: "revertStates"; readonly hashes: ReadonlyArray<string> }
  /** Takes all blocks above a number back: whether they are of the chain is not known. */
  | { readonly kind: "revertAbove"; readonly number: number }
  /** All swaps of these blocks have been written, or there were none. */
  | { readonly kind: "covered"; readonly range: CoveredBlocks }
  | { readonly kind: "state"; readonly state: StoredState }
  /** Takes back blocks of no range: whether they are of the chain is not known after a restart. */
  | { readonly kind: "forgetUncovered" }
  /**
   * Forgets blocks before a time, some at a time, whole hours or days of them; states keep the last
   * checkpoint before it.
   */
  | { readonly kind: "forget"; readonly beforeMs: number };

export interface CoveredBlocks {
  /** Both inclusive. */
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Time of the first one. */
  readonly fromMs: number;
  /** Hashes of some of its newest blocks, ascending. */
  readonly blocks: ReadonlyArray<Pick<BlockStamp, "number" | "hash">>;
}

export interface CoveredRange extends CoveredBlocks {
  /** Of the last block, which stands in `blocks` as well. */
  readonly toHash: `0x${string}`;
}

export interface TradesQuery {
  readonly of:
    | { readonly kind: "pool" | "token" | "maker"; readonly address: Address }
    | { readonly kind: "transaction"; readonly hash: string };
  /** Only swaps between these two, in either direction. */
  readonly pair?: readonly [Address, Address] | undefined;
  /** Only swaps whose log names this maker. */
  readonly maker?: Address | undefined;
  /** Only trades before this place on the chain. */
  readonly before?: { readonly blockNumber: number; readonly logIndex: number } | undefined;
  /** Times of blocks, both inclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit: number;
}

export interface CandlesQuery {
  /** In dollars of a token; or, of two tokens of a pool, one of `token0` in the other. */
  readonly of:
    | { readonly kind: "token"; readonly token: Address }
    | {
        readonly kind: "pair";
        readonly pool: Address;
        /** The lower address of the two. */
        readonly token0: Address;
        readonly token1: Address;
      };
  /** A whole number of minutes, that divides a day. */
  readonly seconds: number;
  /** Of starts, both inclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit: number;
}

export interface HistoryCandle {
  readonly startMs: number;
  /** Of a token US dollars; of a pair in smallest units of both. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeUsd: number;
}

export interface BlocksQuery {
  /** Block numbers above this one. */
  readonly after: number;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** As many blocks as have about so many swaps, one at least. */
  readonly swapsMax: number;
}

export interface StatesQuery {
  /** Number of a block. */
  readonly asOf: number;
  /** Only what changed in blocks above this one, without any checkpoint. */
  readonly after?: number | undefined;
  /** Of that the first so many; all without it. */
  readonly limit?: number | undefined;
}

/** Numbers of blocks, both inclusive. */
export interface StateRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** What a market was at a block (a checkpoint), or what the block changed (a delta); as bytes. */
export interface StoredState {
  readonly stamp: BlockStamp;
  readonly kind: "checkpoint" | "delta";
  readonly bytes: Uint8Array;
}

export interface HistoryDamage {
  /** Blocks that could not be read any more: they are forgotten. */
  readonly blocks: ReadonlyArray<number>;
  /** Other findings, in words. */
  readonly findings: ReadonlyArray<string>;
}

export interface HistorySize {
  readonly blocks: number;
  readonly swaps: number;
  readonly bytes: number;
}

/** Why a store did not do what was asked. */
export class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", {
  reason: Schema.Literals([
    /** No room is left, or nothing may be written. */
    "Full",
    "ReadOnly",
    /** The database does not answer, or somebody else has it. */
    "Unavailable",
    /** What is kept is not what was written. */
    "Damaged",
    /** It is of a later version of millrace, or of another chain. */
    "Foreign",
    "Invalid",
  ]),
  detail: Schema.String,
}) {}

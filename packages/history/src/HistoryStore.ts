import type { Address, BlockStamp } from "@millrace/core";
import { type Effect, Schema } from "effect";
import type { HistoryBlock, HistoryTrade } from "./HistoryBlock.ts";

/**
 * A lasting store of swaps, candles and states of one chain. Queries see what has been written at
 * once; an acknowledged write survives the end of the process and of the machine.
 */
export interface HistoryStore {
  /**
   * Applies the changes in order, all of them or none. A block that is kept already is not kept
   * twice; a block with the number of a kept one replaces it.
   */
  readonly write: (changes: ReadonlyArray<HistoryChange>) => Effect.Effect<void, HistoryError>;
  /** Trades, the newest first. */
  readonly trades: (query: TradesQuery) => Effect.Effect<ReadonlyArray<HistoryTrade>, HistoryError>;
  /** Candles that have a price, ascending; the newest ones up to the limit. */
  readonly candles: (
    query: CandlesQuery,
  ) => Effect.Effect<ReadonlyArray<HistoryCandle>, HistoryError>;
  /** Blocks with swaps, ascending. */
  readonly blocks: (query: BlocksQuery) => Effect.Effect<ReadonlyArray<HistoryBlock>, HistoryError>;
  /** Ranges of blocks all of whose swaps are kept, ascending; between two ranges is a gap. */
  readonly coverage: Effect.Effect<ReadonlyArray<CoveredRange>, HistoryError>;
  /**
   * The newest checkpoint at or before a block, and the deltas from it up to that block; empty
   * without a checkpoint. Fails where one of them is damaged.
   */
  readonly states: (query: StatesQuery) => Effect.Effect<ReadonlyArray<StoredState>, HistoryError>;
  /**
   * From the oldest checkpoint to the newest state, including gaps; undefined without a checkpoint.
   */
  readonly stateRange: Effect.Effect<StateRange | undefined, HistoryError>;
  /** Reads everything that is kept and compares checksums; what is damaged becomes a gap. */
  readonly check: Effect.Effect<HistoryDamage, HistoryError>;
  /** Writes a copy that can be opened like the store itself; the store stays in use meanwhile. */
  readonly copyTo: (path: string) => Effect.Effect<void, HistoryError>;
  readonly size: Effect.Effect<HistorySize, HistoryError>;
}

export type HistoryChange =
  | { readonly kind: "block"; readonly block: HistoryBlock }
  /** Takes blocks back, and everything derived from them. */
  | { readonly kind: "revert"; readonly hashes: ReadonlyArray<string> }
  /** Takes back the states of blocks, and nothing else. */
  | { readonly kind: "revertStates"; readonly hashes: ReadonlyArray<string> }
  /** Takes back all blocks above a number: whether they are on the chain is unknown. */
  | { readonly kind: "revertAbove"; readonly number: number }
  /** All swaps of these blocks have been written, or they had none. */
  | { readonly kind: "covered"; readonly range: CoveredBlocks }
  | { readonly kind: "state"; readonly state: StoredState }
  /**
   * Takes back blocks in no covered range: after a restart it is unknown whether they are on the
   * chain.
   */
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
  /** Time of the first block. */
  readonly fromMs: number;
  /** Hashes of some of its newest blocks, ascending. */
  readonly blocks: ReadonlyArray<Pick<BlockStamp, "number" | "hash">>;
}

export interface CoveredRange extends CoveredBlocks {
  /** Hash of the last block, which is in `blocks` as well. */
  readonly toHash: `0x${string}`;
}

export interface TradesQuery {
  readonly of:
    | { readonly kind: "pool" | "token" | "maker"; readonly address: Address }
    | { readonly kind: "transaction"; readonly hash: string };
  /** Only swaps between these two tokens, in either direction. */
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
  /** The price of a token in US dollars, or the price of `token0` in `token1` in a pool. */
  readonly of:
    | { readonly kind: "token"; readonly token: Address }
    | {
        readonly kind: "pair";
        readonly pool: Address;
        /** The token with the lower address. */
        readonly token0: Address;
        readonly token1: Address;
      };
  /** A whole number of minutes that divides a day. */
  readonly seconds: number;
  /** Bounds of candle starts, both inclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly limit: number;
}

export interface HistoryCandle {
  readonly startMs: number;
  /** US dollars for a token; for a pair, token1 per token0, both in smallest units. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeUsd: number;
}

export interface BlocksQuery {
  /** Only block numbers above this one. */
  readonly after: number;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** As many blocks as have about this many swaps, but at least one. */
  readonly swapsMax: number;
}

export interface StatesQuery {
  /** A block number. */
  readonly asOf: number;
  /** Only deltas of blocks above this one, without a checkpoint. */
  readonly after?: number | undefined;
  /** Only with `after`: maximum number of deltas; default: all. */
  readonly limit?: number | undefined;
}

/** Block numbers, both inclusive. */
export interface StateRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * The state of a market at a block (a checkpoint), or the changes of the block (a delta), as bytes.
 */
export interface StoredState {
  readonly stamp: BlockStamp;
  readonly kind: "checkpoint" | "delta";
  readonly bytes: Uint8Array;
}

export interface HistoryDamage {
  /** Blocks that could no longer be read; they are forgotten. */
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
    /** The database does not answer, or another process has it. */
    "Unavailable",
    /** The bytes read are not those that were written. */
    "Damaged",
    /** The store is of a later version of millrace, or of another chain. */
    "Foreign",
    "Invalid",
  ]),
  detail: Schema.String,
}) {}

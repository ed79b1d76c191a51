import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import type { RandomSource } from "@millrace/testing";
import { blockActivity, type PoolStates } from "./activity.ts";
import type { RawLog, RawSwap } from "./Deed.ts";
import { bloomOf, quantity } from "./words.ts";

export interface SimulatedBlock {
  readonly hash: Hex;
  readonly number: number;
  readonly parent: SimulatedBlock | undefined;
  /** Seconds. */
  readonly timestamp: number;
  readonly bloom: Hex;
  readonly logs: ReadonlyArray<SealedLog>;
  /** All pools that exist after this block. */
  readonly pools: PoolStates;
}

interface SealedLog {
  readonly address: Address;
  readonly topics: ReadonlyArray<Hex>;
  /** As a node gives it. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly transactionHash: Hex;
  readonly swap: RawSwap | undefined;
}

/** Kinds of moves of the head, for the trace of a run and its counters. */
export type HeadMove =
  | "mined"
  | "reorganised"
  | "deeplyReorganised"
  | "sibling"
  | "lower"
  | "returned";

const ZERO_HASH: Hex = `0x${"0".repeat(64)}`;

/**
 * A chain with forks: a tree of blocks, each with the whole state after it, and the current head.
 */
export class SimulatedChain {
  readonly blocks = new Map<Hex, SimulatedBlock>();
  /** How often the head moved in each way. */
  readonly moves = new Map<HeadMove, number>();
  head: SimulatedBlock;
  /** The greatest number of any block. */
  highest = 0;
  readonly #dice: RandomSource;
  readonly #blockTimeMs: number;
  readonly #datesLogs: boolean;
  /** Tips of abandoned branches, latest last. */
  readonly #left: SimulatedBlock[] = [];

  /** With `datesLogs`, logs contain their block's timestamp. */
  constructor(dice: RandomSource, nowMs: number, blockTimeMs: number, datesLogs = true) {
    this.#datesLogs = datesLogs;
    this.#dice = dice;
    this.#blockTimeMs = blockTimeMs;
    this.head = this.#seal(undefined, nowMs, []);
  }

  /** A block on the head. */
  mine(nowMs: number): void {
    this.head = this.child(this.head, nowMs);
    this.#count("mined");
  }

  /** A block on top of any other; the head stays. `quiet` ones have no logs. */
  child(parent: SimulatedBlock, nowMs: number, quiet = false): SimulatedBlock {
    if (quiet) return this.#seal(parent, nowMs, [], parent.pools);
    const { pools, transactions } = blockActivity(this.#dice, parent.pools);
    return this.#seal(parent, nowMs, transactions, pools);
  }

  mineQuietly(nowMs: number): void {
    this.head = this.child(this.head, nowMs, true);
  }

  /** Replaces the last `depth` blocks by one fewer, as many, or up to two more. */
  reorganise(depth: number, nowMs: number, journalDepth: number): void {
    const ancestor = ancestorOf(this.head, Math.min(depth, this.head.number));
    const replaced = this.head.number - ancestor.number;
    if (replaced === 0) return;
    const length = Math.max(1, replaced + this.#dice.pick([-1, 0, 0, 1, 1, 1, 2]));
    this.#left.push(this.head);
    let tip = ancestor;
    for (let made = 0; made < length; made++) tip = this.child(tip, nowMs);
    this.#count(replaced > journalDepth ? "deeplyReorganised" : "reorganised");
    if (length === replaced) this.#count("sibling");
    if (length < replaced) this.#count("lower");
    this.head = tip;
  }

  /** Returns to an abandoned branch, or to a longer one on top of it. */
  goBack(nowMs: number): void {
    const tip = this.#left.pop();
    if (tip === undefined) return;
    this.#left.push(this.head);
    let back = tip;
    while (back.number < this.head.number) back = this.child(back, nowMs);
    if (this.#dice.chance(0.5)) back = this.child(back, nowMs);
    this.head = back;
    this.#count("returned");
  }

  #count(move: HeadMove): void {
    this.moves.set(move, (this.moves.get(move) ?? 0) + 1);
  }

  #seal(
    parent: SimulatedBlock | undefined,
    nowMs: number,
    transactions: ReadonlyArray<ReadonlyArray<RawLog>>,
    pools: PoolStates = new Map(),
  ): SimulatedBlock {
    const number = parent === undefined ? 0 : parent.number + 1;
    const hash = this.#dice.hex(32);
    // Timestamps on one branch never decrease, even when blocks are mined at once.
    const earliest = parent === undefined ? 0 : parent.timestamp;
    const timestamp = Math.max(earliest, Math.floor(nowMs / 1000));
    const dated = this.#datesLogs ? { blockTimestamp: quantity(timestamp) } : {};
    const logs = sealLogs(this.#dice, transactions, hash, number, dated);
    const bloom = bloomOf(logs);
    const block = { hash, number, parent, timestamp, bloom, logs, pools };
    this.blocks.set(hash, block);
    this.highest = Math.max(this.highest, number);
    return block;
  }

  get blockTimeMs(): number {
    return this.#blockTimeMs;
  }
}

/** The block `depth` blocks below another. */
export function ancestorOf(block: SimulatedBlock, depth: number): SimulatedBlock {
  let found = block;
  for (let left = depth; left > 0 && found.parent !== undefined; left--) found = found.parent;
  return found;
}

/** The block of a number on the branch of `tip`; undefined above it. */
export function blockAt(tip: SimulatedBlock, number: number): SimulatedBlock | undefined {
  let found: SimulatedBlock | undefined = tip;
  while (found !== undefined && found.number > number) found = found.parent;
  return found?.number === number ? found : undefined;
}

function sealLogs(
  dice: RandomSource,
  transactions: ReadonlyArray<ReadonlyArray<RawLog>>,
  blockHash: Hex,
  number: number,
  dated: { readonly blockTimestamp?: string },
): ReadonlyArray<SealedLog> {
  const sealed: SealedLog[] = [];
  transactions.forEach((logs, transactionIndex) => {
    const transactionHash = dice.hex(32);
    for (const { address, topics, data, swap } of logs) {
      const json = {
        address,
        topics,
        data,
        blockNumber: quantity(number),
        transactionHash,
        transactionIndex: quantity(transactionIndex),
        blockHash,
        logIndex: quantity(sealed.length),
        removed: false,
        ...dated,
      };
      sealed.push({ address, topics, json, transactionHash, swap });
    }
  });
  return sealed;
}

/** A block as `eth_getBlockBy…` gives it, and without its transactions as it is announced. */
export function headerOf(block: SimulatedBlock): Record<string, unknown> {
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? ZERO_HASH,
    timestamp: quantity(block.timestamp),
    logsBloom: block.bloom,
    gasLimit: "0x1c9c380",
    gasUsed: "0x5208",
    baseFeePerGas: "0x7",
    miner: `0x${"0".repeat(40)}`,
    extraData: "0x",
  };
}

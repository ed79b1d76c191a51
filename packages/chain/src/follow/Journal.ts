import type { Address } from "@millrace/core";
import type { ChainLog, Hex } from "@millrace/protocols";
import type { FollowedPool } from "./FollowedPool.ts";
import type { BlockId, Header } from "./Header.ts";

/** What one block did: enough to undo it, and to bring pools that are read late up to date. */
export class JournalBlock {
  readonly header: Header;
  /** The former states of pools that it changed; undefined where they were not loaded. */
  readonly before = new Map<Address, FollowedPool | undefined>();
  readonly createdPools: Address[] = [];
  readonly learnedTokens: Address[] = [];
  /** Logs of discovered pools that were not loaded, in order. */
  readonly othersLogs = new Map<Address, ChainLog[]>();
  /** Pools dropped while the block can still be reverted: their logs are not kept. */
  readonly lostLogs = new Set<Address>();
  /** DEXes that had logs of all their pools. */
  readonly changedDexes = new Set<string>();

  constructor(header: Header) {
    this.header = header;
  }

  keepLog(pool: Address, log: ChainLog): void {
    const logs = this.othersLogs.get(pool);
    if (logs === undefined) this.othersLogs.set(pool, [log]);
    else logs.push(log);
  }
}

/** The newest blocks that can be reverted, oldest first. */
export class Journal {
  readonly #depth: number;
  #blocks: JournalBlock[] = [];
  /** The block before the oldest: nothing before it can be restored. */
  #base: Header | undefined;
  /** Older blocks of the same chain, some distance apart, ascending. */
  readonly checkpoints: BlockId[] = [];
  /** Blocks that left the journal, oldest first: they are recognised, but cannot be undone. */
  readonly #older: BlockId[] = [];

  constructor(depth: number) {
    this.#depth = depth;
  }

  get blocks(): ReadonlyArray<JournalBlock> {
    return this.#blocks;
  }

  get head(): Header | undefined {
    return this.#blocks.at(-1)?.header ?? this.#base;
  }

  /** The oldest block that can be gone back to. */
  get base(): Header | undefined {
    return this.#base;
  }

  /** Starts with a block; nothing before it can be restored. */
  startAt(header: Header, checkpoints: ReadonlyArray<BlockId>): void {
    this.#blocks = [];
    this.#base = header;
    this.#older.length = 0;
    this.checkpoints.splice(0, Number.POSITIVE_INFINITY, ...checkpoints.slice(-CHECKPOINTS_MAX));
  }

  append(header: Header): JournalBlock {
    if (header.parentHash !== this.head?.hash)
      throw new Error("the block does not follow the head");
    const block = new JournalBlock(header);
    this.#blocks.push(block);
    return block;
  }

  /** Drops the blocks beyond the depth, which can no longer be reverted. */
  trim(): void {
    while (this.#blocks.length > this.#depth) {
      this.#older.push({ number: this.#base!.number, hash: this.#base!.hash });
      if (this.#older.length > OLDER_MAX) this.#older.shift();
      this.#base = this.#blocks.shift()!.header;
      const last = this.checkpoints.at(-1)?.number ?? Number.NEGATIVE_INFINITY;
      if (this.#base.number - last < this.#depth) continue;
      this.checkpoints.push({ number: this.#base.number, hash: this.#base.hash });
      if (this.checkpoints.length > CHECKPOINTS_MAX) this.checkpoints.shift();
    }
  }

  removeNewest(): JournalBlock {
    const block = this.#blocks.pop();
    if (block === undefined) throw new Error("the journal ends here");
    return block;
  }

  /** Index of the block in `blocks`, -1 for the base, undefined for any other. */
  indexOf(hash: Hex): number | undefined {
    if (this.#base?.hash === hash) return -1;
    // From the head: the block asked for is nearly always there.
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      if (this.#blocks[index]!.header.hash === hash) return index;
    }
    return undefined;
  }

  /** The blocks that the market went through, newest first, as far as they are remembered. */
  history(): BlockId[] {
    const base = this.#base === undefined ? [] : [this.#base];
    return [...this.#older, ...base, ...this.#blocks.map(({ header }) => header)].reverse();
  }
}

const CHECKPOINTS_MAX = 256;
const OLDER_MAX = 1_024;

import type { RefusedCreation } from "../reading/DiscoveredPool.ts";
import type { RefusalCount } from "../snapshot/ChainSnapshot.ts";

/** How many creations were refused, and why. Goes back with the blocks that told of them. */
export class Refusals {
  readonly #kinds = new Map<string, Kind>();

  /** What is counted already is of blocks up to this one. */
  readonly #startBlock: number;

  constructor(startBlock = 0, counts: ReadonlyArray<RefusalCount> = []) {
    this.#startBlock = startBlock;
    for (const { dexId, reason, count } of counts) this.#kind(dexId, reason).before += count;
  }

  add({ dexId, reason, block }: RefusedCreation): void {
    this.#kind(dexId, reason).blocks.push(block);
  }

  /** Forgets those of all later blocks; of blocks before what it started from, everything. */
  removeAfter(block: number): void {
    for (const kind of this.#kinds.values()) {
      const { blocks } = kind;
      while (blocks.length > 0 && blocks.at(-1)! > block) blocks.pop();
      if (block < this.#startBlock) kind.before = 0;
    }
  }

  get counts(): RefusalCount[] {
    return [...this.#kinds.values()]
      .map(({ dexId, reason, before, blocks }) => ({
        dexId,
        reason,
        count: before + blocks.length,
      }))
      .filter(({ count }) => count > 0);
  }

  /** The same at the end of a block, as another object. */
  copyAt(block: number): Refusals {
    const copy = new Refusals(this.#startBlock);
    for (const [key, kind] of this.#kinds)
      copy.#kinds.set(key, { ...kind, blocks: [...kind.blocks] });
    copy.removeAfter(block);
    return copy;
  }

  #kind(dexId: string, reason: string): Kind {
    const key = JSON.stringify([dexId, reason]);
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { dexId, reason, before: 0, blocks: [] };
      this.#kinds.set(key, kind);
    }
    return kind;
  }
}

/** There may be millions of one kind: of each only its block is kept. */
interface Kind {
  readonly dexId: string;
  readonly reason: string;
  before: number;
  /** Numbers of the blocks of all others, ascending. */
  readonly blocks: number[];
}

import type { RefusedCreation } from "../reading/DiscoveredPool.ts";
import type { RefusalCount } from "../snapshot/ChainSnapshot.ts";

/** How many creations were refused, and why. Reverting a block takes its refusals back. */
export class Refusals {
  readonly #kinds = new Map<string, Kind>();

  /** Counts given at the start cover blocks up to this one. */
  readonly #startBlock: number;

  constructor(startBlock = 0, counts: ReadonlyArray<RefusalCount> = []) {
    this.#startBlock = startBlock;
    for (const { dexId, reason, count } of counts) this.#kind(dexId, reason).before += count;
  }

  add({ dexId, reason, block }: RefusedCreation): void {
    this.#kind(dexId, reason).blocks.push(block);
  }

  /** Forgets refusals after a block; before the start block, also all counts given at the start. */
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

  /** A copy as of the end of a block. */
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

/** There may be millions of one kind, so only the block of each is kept. */
interface Kind {
  readonly dexId: string;
  readonly reason: string;
  before: number;
  /** Block numbers of the refusals added later, ascending. */
  readonly blocks: number[];
}

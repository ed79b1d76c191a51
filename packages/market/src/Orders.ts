import type { TokenIndex } from "@millrace/core";
import { selectRange } from "./selectRange.ts";

/** Places of an order that are worked out together. */
const CHUNK = 512;
/** Kept of one block: at most 12 × 8 and 8 × 4 bytes a token or pool, and 1,024 × 2 KiB. */
const KEYS_MAX = 12;
const MATCHES_MAX = 8;
const CHUNKS_MAX = 1_024;
/** Names that tell of a sum of a window: see `TokenSumField`. */
const OF_SUMS = /volume|txns|buys|sells/i;

/** What a query lists, and a name for it among what is listed of a block. */
export interface Members {
  readonly name: string;
  /** All tokens or pools of the block, in the order of addresses. */
  readonly byAddress: Uint32Array;
  /** Ascending, the places there of those that pass the filters; undefined when all do. */
  readonly places: Uint32Array | undefined;
}

/**
 * What lists have been sorted by for one block. A key is read once, when it is first asked for, and
 * kept: so all pages of the block are cut from the same order, whatever moves meanwhile.
 */
export class Orders {
  readonly #keys = new Map<string, Float64Array>();
  readonly #matches = new Map<string, Uint32Array>();
  readonly #chunks = new Map<string, Uint32Array>();
  /** Of blocks before, to be filled again: new memory costs as much as what is written to it. */
  readonly #spareKeys: Float64Array[] = [];
  /** Kept by `routableTokens`. */
  routable: ReadonlyArray<TokenIndex> | undefined;

  /** Forgets all of it: another block begins. */
  clear(): void {
    this.#spareKeys.push(...this.#keys.values());
    this.#spareKeys.splice(0, Math.max(0, this.#spareKeys.length - KEYS_MAX));
    this.#keys.clear();
    this.#matches.clear();
    this.#chunks.clear();
    this.routable = undefined;
  }

  /** Forgets what goes by sums of windows, which have moved. */
  clearSums(): void {
    for (const store of [this.#keys, this.#matches, this.#chunks]) {
      for (const name of store.keys()) if (OF_SUMS.test(name)) store.delete(name);
    }
  }

  /** So many sort keys, by place in the order of addresses; read now when they are not kept. */
  keys(name: string, count: number, read: (into: Float64Array) => void): Float64Array {
    return kept(this.#keys, KEYS_MAX, name, () => {
      const spare = this.#spareKeys.pop();
      const keys = spare?.length === count ? spare : new Float64Array(count);
      read(keys);
      return keys;
    });
  }

  /** What passes filters, as `Members.places`; found now when it is not kept. */
  matches(name: string, find: () => Uint32Array): Uint32Array {
    return kept(this.#matches, MATCHES_MAX, name, find);
  }

  /**
   * The members from `start` (inclusive) to `end` (exclusive) in the order of keys, ties by address;
   * `keysName` is the name that the keys are kept by.
   */
  range(
    members: Members,
    keysName: string,
    keys: Float64Array,
    descending: boolean,
    start: number,
    end: number,
  ): number[] {
    const found: number[] = [];
    const { byAddress, places } = members;
    const last = Math.min(end, (places ?? byAddress).length);
    for (let place = start; place < last; ) {
      const chunkStart = place - (place % CHUNK);
      const name = `${chunkStart} ${descending} ${keysName} ${members.name}`;
      const chunk = kept(this.#chunks, CHUNKS_MAX, name, () =>
        selectRange(keys, places, descending, chunkStart, chunkStart + CHUNK),
      );
      const chunkEnd = Math.min(last, chunkStart + CHUNK);
      for (; place < chunkEnd; place++) found.push(byAddress[chunk[place - chunkStart]!]!);
    }
    return found;
  }
}

/** What a name stands for, made now when it is not kept; what was not asked for longest goes first. */
function kept<A>(store: Map<string, A>, most: number, name: string, make: () => A): A {
  const value = store.get(name) ?? make();
  store.delete(name);
  if (store.size >= most) store.delete(store.keys().next().value!);
  store.set(name, value);
  return value;
}

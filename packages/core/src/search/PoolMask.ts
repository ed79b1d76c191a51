import { allocate, grown } from "../graph/buffers.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import type { PoolFilter } from "./quote.ts";

/** The pools that one search must not use; the graph itself stays unchanged. */
export class PoolMask {
  readonly #graph: PoolGraph;
  #active = false;
  // Index: pool. 1: blocked. All 0 between two searches.
  #pools = allocate(Uint8Array, 0);
  // Index: DEX. 1: blocked. All 0 between two searches.
  #dexes = allocate(Uint8Array, 0);
  /** Pools blocked by `block`. */
  readonly #blocked: number[] = [];

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /** Blocks the pools that a filter excludes. `clear` must follow every `set`. */
  set(filter: PoolFilter | undefined): void {
    this.#active = filter !== undefined;
    if (filter === undefined) return;
    this.#pools = grown(Uint8Array, this.#pools, this.#graph.poolCount);
    this.#dexes = grown(Uint8Array, this.#dexes, this.#graph.dexes.length);
    if (filter.onlyDexes !== undefined) {
      this.#dexes.fill(1);
      for (const dex of filter.onlyDexes) this.#dexes[dex] = 0;
    }
    if (filter.dexSets !== undefined) {
      // Only what every set excludes; the router ensures that a route keeps to one set.
      const known = new Set(filter.dexSets.flat());
      for (let dex = 0; dex < this.#dexes.length; dex++) if (!known.has(dex)) this.#dexes[dex] = 1;
    }
    for (const dex of filter.withoutDexes ?? []) this.#dexes[dex] = 1;
    for (const pool of filter.withoutPools ?? []) this.#pools[pool] = 1;
  }

  /** Blocks one more pool, until `clear`. */
  block(pool: number): void {
    this.#active = true;
    this.#pools = grown(Uint8Array, this.#pools, this.#graph.poolCount);
    this.#dexes = grown(Uint8Array, this.#dexes, this.#graph.dexes.length);
    this.#pools[pool] = 1;
    this.#blocked.push(pool);
  }

  clear(filter: PoolFilter | undefined): void {
    this.#active = false;
    for (const pool of this.#blocked.splice(0)) this.#pools[pool] = 0;
    if (filter === undefined) return;
    this.#dexes.fill(0);
    for (const pool of filter.withoutPools ?? []) this.#pools[pool] = 0;
  }

  /** False when no pool is excluded. */
  get isActive(): boolean {
    return this.#active;
  }

  blocks(pool: number): boolean {
    return (
      this.#active && (this.#pools[pool] === 1 || this.#dexes[this.#graph.poolDex[pool]!] === 1)
    );
  }
}

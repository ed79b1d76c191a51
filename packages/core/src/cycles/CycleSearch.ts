import { allocate, grown } from "../graph/buffers.ts";
import type { PoolGraph, TokenIndex } from "../graph/PoolGraph.ts";
import type { Cycle } from "./Cycle.ts";
import type { CycleFinder } from "./CycleFinder.ts";
import { KeptCycles, type SizedCycle } from "./KeptCycles.ts";

/** Cycles kept per cycle given: some may drop out before all have to be searched anew. */
const SPARE = 2;

/** The cycles of one token, kept in step with the graph whenever they are asked for. */
export class CycleSearch {
  readonly #graph: PoolGraph;
  readonly #finder: CycleFinder;
  readonly #token: TokenIndex;
  readonly #maxHops: number;
  readonly #count: number;
  readonly #kept: KeptCycles;
  /** Index: pool. The version that `#kept` was found at, plus one; 0 for a pool not yet seen. */
  #poolVersions = allocate(Uint32Array, 0);
  #version = -1;
  #barsVersion = -1;
  #current: ReadonlyArray<Cycle> = [];
  /** For the owner to note when the search was last used. */
  askedAt = 0;

  constructor(
    graph: PoolGraph,
    finder: CycleFinder,
    token: TokenIndex,
    maxHops: number,
    count: number,
  ) {
    this.#graph = graph;
    this.#finder = finder;
    this.#token = token;
    this.#maxHops = maxHops;
    this.#count = count;
    this.#kept = new KeptCycles(SPARE * count);
  }

  /** The most profitable cycles, at most `count`, best first. */
  current(): ReadonlyArray<Cycle> {
    if (this.#version === this.#graph.version) return this.#current;
    this.#follow();
    this.#version = this.#graph.version;
    this.#current = this.#kept.cycles
      .slice(0, this.#count)
      .map((cycle) => cycleOf(this.#graph, cycle));
    return this.#current;
  }

  /** Searches again through the changed pools, or through all when too few cycles are left. */
  #follow(): void {
    const kept = this.#kept;
    const isChanged = this.#markChanged();
    // Unchanged pools may now lead through other tokens.
    if (this.#barsVersion !== this.#graph.exclusionsVersion) isChanged.fill(1);
    this.#barsVersion = this.#graph.exclusionsVersion;
    if (!isChanged.includes(1)) return;
    kept.dropThrough(isChanged);
    this.#finder.find(this.#token, this.#maxHops, isChanged, kept);
    if (kept.isComplete || kept.cycles.length >= this.#count) return;
    kept.clear();
    isChanged.fill(1);
    this.#finder.find(this.#token, this.#maxHops, isChanged, kept);
  }

  /** Index: pool. 1: its state changed since the last call, or it came or went. */
  #markChanged(): Uint8Array {
    const { poolCount, poolVersion } = this.#graph;
    this.#poolVersions = grown(Uint32Array, this.#poolVersions, poolCount);
    const isChanged = new Uint8Array(poolCount);
    for (let pool = 0; pool < poolCount; pool++) {
      const version = poolVersion[pool]! + 1;
      if (version === this.#poolVersions[pool]) continue;
      this.#poolVersions[pool] = version;
      isChanged[pool] = 1;
    }
    return isChanged;
  }
}

function cycleOf(graph: PoolGraph, { pools, positions, amounts, profit, gas }: SizedCycle): Cycle {
  return {
    steps: pools.map((pool, hop) => ({
      pool,
      tokenIn: graph.poolToken(pool, positions[hop]! >> 3),
      tokenOut: graph.poolToken(pool, positions[hop]! & 7),
      amountIn: amounts[hop]!,
      amountOut: amounts[hop + 1]!,
    })),
    amountIn: amounts[0]!,
    amountOut: amounts[pools.length]!,
    profit,
    gas,
    stamp: graph.stamp,
  };
}

import type { Curve, PoolFamily, PoolSwap } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import { PoolGraph, type PoolIndex } from "../../graph/PoolGraph.ts";

/**
 * Pools in the states that earlier paths of a route leave: a graph that shares everything with the
 * market's except the words of pool states and the versions, with families of its own.
 */
export class StatesAfter {
  readonly #graph: PoolGraph;
  readonly #curves: ReadonlyArray<Curve>;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #after: Mutable<PoolGraph>;
  readonly #familiesAfter: ReadonlyArray<PoolFamily>;
  // Index: pool. The last run that used the pool.
  #usedIn = allocate(Float64Array, 0);
  #run = 0;
  #version = 0;

  constructor(graph: PoolGraph, curves: ReadonlyArray<Curve>, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#curves = curves;
    this.#families = families;
    this.#after = new PoolGraph(graph.chainId, graph.curveNames);
    this.#familiesAfter = curves.map((curve) => curve.open(this.#after));
  }

  /** Resets all pools to the market's states. */
  begin(): void {
    const own = this.#after;
    const { stateWords, poolVersion } = own;
    // The market's arrays are replaced when they grow.
    Object.assign(own, this.#graph);
    own.stateWords = grown(BigUint64Array, stateWords, this.#graph.stateWords.length);
    own.poolVersion = grown(Uint32Array, poolVersion, this.#graph.poolCount);
    this.#usedIn = grown(Float64Array, this.#usedIn, this.#graph.poolCount);
    this.#run++;
  }

  /** The arithmetic of the pool in its current state. */
  familyOf(pool: PoolIndex): PoolFamily {
    const families = this.#usedIn[pool] === this.#run ? this.#familiesAfter : this.#families;
    return families[this.#graph.poolCurve[pool]!]!;
  }

  /** Moves a pool to the state after a swap. */
  apply({ pool, state }: PoolSwap): void {
    this.#write(pool, state.words);
  }

  /** Resets a pool to the market's state. */
  rewind(pool: PoolIndex): void {
    this.#usedIn[pool] = 0;
  }

  /** Copies a pool's state from another instance, of the same market. */
  copy(pool: PoolIndex, other: StatesAfter): void {
    if (other.#usedIn[pool] !== other.#run) return this.rewind(pool);
    const { poolCurve, poolStateStart, poolTokenCount } = this.#graph;
    const start = poolStateStart[pool]!;
    const count = this.#curves[poolCurve[pool]!]!.stateWords(poolTokenCount[pool]!);
    this.#write(pool, other.#after.stateWords.subarray(start, start + count));
  }

  #write(pool: PoolIndex, words: BigUint64Array): void {
    this.#after.stateWords.set(words, this.#graph.poolStateStart[pool]!);
    // Never the number of a former state: families cache results by it.
    this.#after.poolVersion[pool] = ++this.#version;
    this.#usedIn[pool] = this.#run;
  }
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] };

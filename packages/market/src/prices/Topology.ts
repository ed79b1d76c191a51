import type { PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";

const POOLS_A_SLICE = 4_096;

/**
 * Which pools join which tokens, copied from the graph at one block: a valuation in slices reads
 * this while the graph goes on. Arrays are as in `PoolGraph`.
 */
export class Topology {
  /** `graph.topologyVersion` of the copy. */
  readonly version: number;
  readonly tokenCount: number;
  readonly poolCount: number;
  readonly tokenDecimals: Uint8Array;
  readonly poolDex: Uint16Array;
  readonly poolTokenCount: Uint8Array;
  readonly poolTokenStart: Uint32Array;
  readonly poolTokens: Uint32Array;
  readonly slotStart: Uint32Array;
  readonly slotEnd: Uint32Array;
  readonly slotNeighbour: Uint32Array;
  readonly slotPool: Uint32Array;
  readonly slotPositions: Uint8Array;
  readonly #dexWords: number;
  // Index: token × dexWords + (DEX >> 5); bit DEX & 31: it has a pool of the token.
  readonly #tokenDexes: Uint32Array;

  constructor(graph: PoolGraph) {
    const { tokenCount, poolCount, slotsLength } = graph;
    this.version = graph.topologyVersion;
    this.tokenCount = tokenCount;
    this.poolCount = poolCount;
    this.tokenDecimals = graph.tokenDecimals.slice(0, tokenCount);
    this.poolDex = graph.poolDex.slice(0, poolCount);
    this.poolTokenCount = graph.poolTokenCount.slice(0, poolCount);
    this.poolTokenStart = graph.poolTokenStart.slice(0, poolCount);
    this.poolTokens = graph.poolTokens.slice(0, graph.poolTokensLength);
    this.slotStart = graph.slotStart.slice(0, tokenCount);
    this.slotEnd = graph.slotEnd.slice(0, tokenCount);
    this.slotNeighbour = graph.slotNeighbour.slice(0, slotsLength);
    this.slotPool = graph.slotPool.slice(0, slotsLength);
    this.slotPositions = graph.slotPositions.slice(0, slotsLength);
    this.#dexWords = Math.ceil(graph.dexes.length / 32);
    this.#tokenDexes = new Uint32Array(tokenCount * this.#dexWords);
  }

  /** Finds which DEXes have pools of which tokens, in slices: all below but `isCurrent` need it. */
  *indexDexes(): Generator<void> {
    for (let pool = 0; pool < this.poolCount; pool++) {
      if (pool % POOLS_A_SLICE === 0) yield;
      const dex = this.poolDex[pool]!;
      const start = this.poolTokenStart[pool]!;
      for (let position = start; position < start + this.poolTokenCount[pool]!; position++) {
        this.#tokenDexes[this.poolTokens[position]! * this.#dexWords + (dex >> 5)]! |=
          1 << (dex & 31);
      }
    }
  }

  /** True when the pool at this index is, in the graph, still the one that was copied. */
  isCurrent(graph: PoolGraph, pool: PoolIndex): boolean {
    // The arena of tokens only grows: a pool that took over an index has another position in it.
    return (
      pool < this.poolCount &&
      graph.poolTokenCount[pool]! > 0 &&
      graph.poolTokenStart[pool] === this.poolTokenStart[pool] &&
      graph.poolTokenCount[pool] === this.poolTokenCount[pool]
    );
  }

  /** Indexes of the DEXes with a pool of the token, ascending. */
  dexesOf(token: TokenIndex): number[] {
    const dexes: number[] = [];
    for (let dex = 0; dex < 32 * this.#dexWords; dex++) if (this.isOn(token, dex)) dexes.push(dex);
    return dexes;
  }

  /** The same for tokens of the same DEXes, and for no others. */
  dexesKey(token: TokenIndex): number | string {
    if (token >= this.tokenCount) return 0;
    const words = this.#dexWords;
    if (words === 1) return this.#tokenDexes[token]!;
    return this.#tokenDexes.subarray(token * words, (token + 1) * words).join();
  }

  /** True when the DEX has a pool of the token. */
  isOn(token: number, dex: number): boolean {
    const word = dex >> 5;
    if (token >= this.tokenCount || word >= this.#dexWords) return false;
    return (this.#tokenDexes[token * this.#dexWords + word]! & (1 << (dex & 31))) !== 0;
  }

  /** Index: token. 1 when one of some DEXes has a pool of it. */
  tokensOn(dexes: ReadonlyArray<number>): Uint8Array {
    const words = this.#tokenDexes;
    const marks = new Uint8Array(this.tokenCount);
    for (const dex of dexes) {
      if (dex >> 5 >= this.#dexWords) continue;
      for (let token = 0, at = dex >> 5; token < marks.length; token++, at += this.#dexWords) {
        marks[token]! |= (words[at]! >>> (dex & 31)) & 1;
      }
    }
    return marks;
  }

  /** True when the pool holds the token. */
  holds(pool: number, token: number): boolean {
    const start = this.poolTokenStart[pool]!;
    for (let position = start; position < start + this.poolTokenCount[pool]!; position++) {
      if (this.poolTokens[position] === token) return true;
    }
    return false;
  }

  /** True when the token is in a pool. */
  isPooled(token: number): boolean {
    return this.slotEnd[token]! > this.slotStart[token]!;
  }
}

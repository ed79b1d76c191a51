import { ADDRESS_BYTES, type PoolGraph, type PoolIndex, type TokenIndex } from "@millrace/core";

const POOLS_A_SLICE = 4_096;
/** A sixteenth of an array is spare. */
const SPARE_SHIFT = 4;

/**
 * Which pools join which tokens, copied from the graph at one block, so that a valuation in slices
 * can read this while the graph goes on. Arrays are as in `PoolGraph`.
 */
export class Topology {
  /** `graph.topologyVersion` of the copy. */
  readonly version: number;
  readonly tokenCount: number;
  readonly poolCount: number;
  tokenDecimals!: Uint8Array;
  poolAddresses!: Uint8Array;
  poolDex!: Uint16Array;
  poolTokenCount!: Uint8Array;
  poolTokenStart!: Uint32Array;
  poolTokens!: Uint32Array;
  slotStart!: Uint32Array;
  slotEnd!: Uint32Array;
  slotNeighbour!: Uint32Array;
  slotPool!: Uint32Array;
  slotPositions!: Uint8Array;
  readonly #dexWords: number;
  // Index: token × dexWords + (DEX >> 5); bit DEX & 31 is set when the DEX has a pool of the token.
  readonly #tokenDexes: Uint32Array;

  private constructor(graph: PoolGraph) {
    this.version = graph.topologyVersion;
    this.tokenCount = graph.tokenCount;
    this.poolCount = graph.poolCount;
    this.#dexWords = Math.ceil(graph.dexes.length / 32);
    this.#tokenDexes = new Uint32Array(this.tokenCount * this.#dexWords);
  }

  /**
   * Copies in slices; undefined when pools came or went meanwhile. Reuses the arrays of `retired`,
   * which nobody reads any more: new arrays for every block would be garbage too often.
   */
  static *copy(
    graph: PoolGraph,
    retired: Topology | undefined,
  ): Generator<void, Topology | undefined> {
    const topology = new Topology(graph);
    const copying = topology.#copyArrays(graph, retired);
    while (!copying.next().done) {
      yield;
      if (graph.topologyVersion !== topology.version) return undefined;
    }
    return topology;
  }

  *#copyArrays(graph: PoolGraph, retired: Topology | undefined): Generator<void> {
    const { tokenCount, poolCount } = this;
    const { poolTokensLength, slotsLength } = graph;
    this.tokenDecimals = copied(graph.tokenDecimals, tokenCount, retired?.tokenDecimals);
    this.slotStart = copied(graph.slotStart, tokenCount, retired?.slotStart);
    this.slotEnd = copied(graph.slotEnd, tokenCount, retired?.slotEnd);
    yield;
    const addressBytes = ADDRESS_BYTES * poolCount;
    this.poolAddresses = copied(graph.poolAddresses, addressBytes, retired?.poolAddresses);
    yield;
    this.poolDex = copied(graph.poolDex, poolCount, retired?.poolDex);
    this.poolTokenCount = copied(graph.poolTokenCount, poolCount, retired?.poolTokenCount);
    this.poolTokenStart = copied(graph.poolTokenStart, poolCount, retired?.poolTokenStart);
    this.poolTokens = copied(graph.poolTokens, poolTokensLength, retired?.poolTokens);
    yield;
    this.slotNeighbour = copied(graph.slotNeighbour, slotsLength, retired?.slotNeighbour);
    yield;
    this.slotPool = copied(graph.slotPool, slotsLength, retired?.slotPool);
    yield;
    this.slotPositions = copied(graph.slotPositions, slotsLength, retired?.slotPositions);
  }

  /**
   * Finds which DEXes have pools of which tokens, in slices. Methods about DEXes need this first.
   */
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

  /** True when the pool at this index in the graph is still the one that was copied. */
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

  /** A key that tokens share if, and only if, they have the same DEXes. */
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

  /** Index: token. 1 when one of the DEXes has a pool of it. */
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

/** The first `length` elements, in an array that may have spare room. */
function copied<A extends Uint8Array | Uint16Array | Uint32Array>(
  from: A,
  length: number,
  into: A | undefined,
): A {
  const room = length + (length >> SPARE_SHIFT);
  const copy =
    into !== undefined && into.length >= length
      ? into
      : new (from.constructor as new (length: number) => A)(room);
  copy.set(from.subarray(0, length));
  return copy;
}

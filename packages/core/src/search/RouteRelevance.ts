import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import { slotsBetween } from "./slotsBetween.ts";

/** For a block that changes more pairs of tokens, every route may matter. */
const PAIRS_MAX = 1_024;
/** Beyond so many pools there is no search: any token may be as near. */
const HOPS_KNOWN = 2;
const WORD_BITS = 32;

/**
 * The routes that state changes of some pools may affect: those of pairs that a path of a few pools
 * through one of these pools may link. No search for a route of another pair reads such a pool, so
 * that route stays as it was. The graph must have the topology of the change; pools that came or
 * went are not considered.
 *
 * For each token asked about, a bit set has the ends of changed pairs within 0, 1 and 2 pools of
 * it: so a question takes a few words, for thousands of requests a block.
 */
export class RouteRelevance {
  readonly #graph: PoolGraph;
  readonly #isTooMuch: boolean;
  /**
   * Words of one side of a set: sets have a bit for one end of each pair, then for the other end.
   */
  readonly #words: number;
  /** Ends of changed pairs. */
  readonly #ends: ReadonlyArray<number>;
  /** Sets, one after another: the empty one, the full one, then those of tokens. */
  #bits: Uint32Array<ArrayBuffer>;
  #bitsEnd: number;
  /** By hops: the start of a token's set. */
  readonly #sets: ReadonlyArray<Map<number, number>> = [new Map(), new Map(), new Map()];
  readonly #all: number;

  constructor(graph: PoolGraph, changedPools: ReadonlyArray<PoolIndex>) {
    const pairs = pairsOf(graph, changedPools);
    const pairCount = pairs.length / 2;
    this.#graph = graph;
    this.#isTooMuch = pairCount > PAIRS_MAX;
    this.#words = this.#isTooMuch ? 0 : Math.ceil(pairCount / WORD_BITS);
    this.#all = 2 * this.#words;
    this.#bits = new Uint32Array(256 * this.#words).fill(0xffffffff, this.#all, 2 * this.#all);
    this.#bitsEnd = 2 * this.#all;
    this.#ends = [...new Set(pairs)];
    if (!this.#isTooMuch) this.#markEnds(pairs);
  }

  /** Whether a changed pool has the token. */
  touches(token: number): boolean {
    return this.#isTooMuch || this.#sets[0]!.has(token);
  }

  /**
   * Whether a path of at most `maxHops` pools from one token to the other may use a changed pool.
   */
  mayMatter(tokenIn: number, tokenOut: number, maxHops: number): boolean {
    if (this.#isTooMuch) return true;
    for (let before = 0; before < maxHops; before++) {
      const after = maxHops - 1 - before;
      if (this.#meet(tokenIn, tokenOut, before, after)) return true;
    }
    return false;
  }

  /**
   * Whether one end of a changed pair is within `before` pools of the token in, and the other
   * within `after` of the token out.
   */
  #meet(tokenIn: number, tokenOut: number, before: number, after: number): boolean {
    const words = this.#words;
    const from = this.#within(tokenIn, before);
    const to = this.#within(tokenOut, after);
    // A path ends at the token out, and never returns to the token in.
    const atIn = this.#within(tokenIn, 0);
    const atOut = this.#within(tokenOut, 0);
    const bits = this.#bits;
    for (let one = 0; one < words; one++) {
      const other = words + one;
      const forth =
        bits[from + one]! & bits[to + other]! & ~bits[atOut + one]! & ~bits[atIn + other]!;
      const back =
        bits[from + other]! & bits[to + one]! & ~bits[atOut + other]! & ~bits[atIn + one]!;
      if ((forth | back) !== 0) return true;
    }
    return false;
  }

  /** The start of the set of ends within `hops` pools of a token. */
  #within(token: number, hops: number): number {
    if (hops > HOPS_KNOWN) return this.#all;
    const known = this.#sets[hops]!.get(token);
    if (known !== undefined) return known;
    if (hops === 0) return EMPTY;
    const set = this.#newSet();
    this.#sets[hops]!.set(token, set);
    this.#add(set, this.#within(token, hops - 1));
    if (hops === 1) this.#addNeighbours(set, token);
    else this.#addBeyond(set, token);
    return set;
  }

  #addNeighbours(set: number, token: number): void {
    const { slotEnd, slotNeighbour, slotStart } = this.#graph;
    const start = slotStart[token]!;
    const end = slotEnd[token]!;
    // Scan the list or, where it is long, search for each end in it.
    if (end - start > SOUGHT_AS_LONG_AS * this.#ends.length) {
      for (const one of this.#ends) {
        const between = slotsBetween(this.#graph, token, one);
        if (between.start < between.end) this.#add(set, this.#within(one, 0));
      }
      return;
    }
    for (let slot = start; slot < end; slot++) {
      const at = this.#within(slotNeighbour[slot]!, 0);
      if (at !== EMPTY) this.#add(set, at);
    }
  }

  /** Adds the ends that a path reaches over a neighbour, which must be a transit. */
  #addBeyond(set: number, token: number): void {
    const { slotNeighbour, slotStart, slotTransitEnd } = this.#graph;
    let last = -1;
    for (let slot = slotStart[token]!; slot < slotTransitEnd[token]!; slot++) {
      const middle = slotNeighbour[slot]!;
      if (middle === last) continue;
      last = middle;
      this.#add(set, this.#within(middle, 1));
    }
  }

  #add(set: number, other: number): void {
    const bits = this.#bits;
    for (let word = 0; word < 2 * this.#words; word++) bits[set + word]! |= bits[other + word]!;
  }

  #newSet(): number {
    const set = this.#bitsEnd;
    this.#bitsEnd += 2 * this.#words;
    if (this.#bitsEnd > this.#bits.length) {
      const bits = new Uint32Array(2 * this.#bitsEnd);
      bits.set(this.#bits);
      this.#bits = bits;
    }
    return set;
  }

  #markEnds(pairs: ReadonlyArray<number>): void {
    for (const [at, token] of pairs.entries()) {
      const known = this.#sets[0]!.get(token);
      const set = known ?? this.#newSet();
      if (known === undefined) this.#sets[0]!.set(token, set);
      const pair = at >> 1;
      const side = (at & 1) * this.#words;
      this.#bits[set + side + Math.floor(pair / WORD_BITS)]! |= 1 << (pair % WORD_BITS);
    }
  }
}

/** The start of the empty set. */
const EMPTY = 0;
/** A search in a list costs about as much as so many list entries. */
const SOUGHT_AS_LONG_AS = 8;

/** The pools' pairs of tokens, each once: one, other, one, other, … */
function pairsOf(graph: PoolGraph, pools: ReadonlyArray<PoolIndex>): number[] {
  const keys = new Set<number>();
  for (const pool of pools) {
    const count = graph.poolTokenCount[pool]!;
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) {
        const one = graph.poolToken(pool, i);
        const other = graph.poolToken(pool, j);
        keys.add(Math.min(one, other) * graph.tokenCount + Math.max(one, other));
      }
    }
  }
  const pairs: number[] = [];
  for (const key of keys) pairs.push(Math.floor(key / graph.tokenCount), key % graph.tokenCount);
  return pairs;
}

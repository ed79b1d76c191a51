import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import { slotsBetween } from "./slotsBetween.ts";

/** Of a block that changes more pairs of tokens, all that is told is that it may matter. */
const PAIRS_MAX = 1_024;
/** Farther than so many pools nobody looks: any token may be as near. */
const HOPS_KNOWN = 2;
const WORD_BITS = 32;

/**
 * Which routes a change of some pools' states can matter to: those of pairs that a path of so few
 * pools through one of them may link. A pool on no such path is read by no search for a route of
 * the pair, so that it stays what it was. Of a graph whose topology is that of the change; what
 * pools that came or went matter to it does not tell.
 *
 * For each token that is asked for, a set of bits tells which ends of changed pairs are within 0, 1
 * and 2 pools of it: a question is a few words then, for thousands of requests a block.
 */
export class RouteRelevance {
  readonly #graph: PoolGraph;
  readonly #isTooMuch: boolean;
  /** Words of one side of a set: sets have a bit for one end of each pair, then for the other. */
  readonly #words: number;
  /** Ends of changed pairs. */
  readonly #ends: ReadonlyArray<number>;
  /** Sets, one after another: the empty one, the full one, those of tokens. */
  #bits: Uint32Array<ArrayBuffer>;
  #bitsEnd: number;
  /** By hops: where the set of a token begins. */
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

  /** Whether one end of a changed pair is so near the token in, and the other the token out. */
  #meet(tokenIn: number, tokenOut: number, before: number, after: number): boolean {
    const words = this.#words;
    const from = this.#within(tokenIn, before);
    const to = this.#within(tokenOut, after);
    // A path ends where it comes to the token out, and never comes back to the token in.
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

  /** Where the set of those ends begins that are within so many pools of a token. */
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
    // Through the list, or where that is long through the ends, each sought in it.
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

  /** What a path comes to by way of a neighbour, which is a transit then. */
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

/** Where the empty set begins. */
const EMPTY = 0;
/** To seek a token in a list costs as much, about, as so many looks. */
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

import type { PoolGraph, PoolIndex } from "../graph/PoolGraph.ts";
import { slotsBetween } from "./slotsBetween.ts";

/**
 * Which routes a change of some pools' states can matter to: those of pairs that a path of so few
 * pools through one of them may link. A pool on no such path is read by no search for the pair, so
 * that its answer stays what it was. Of a graph whose topology is that of the change; what pools
 * that came or went matter to it does not tell.
 */
export class RouteRelevance {
  readonly #graph: PoolGraph;
  /** The changed pools' ordered pairs of tokens, each once: from, to, from, to, … */
  readonly #pairs: ReadonlyArray<number>;
  /** Key: token × tokenCount + other; least number of pools between them, up to HOPS_KNOWN + 1. */
  readonly #hops = new Map<number, number>();

  constructor(graph: PoolGraph, changedPools: ReadonlyArray<PoolIndex>) {
    this.#graph = graph;
    this.#pairs = pairsOf(graph, changedPools);
  }

  /** Whether a path of at most `maxHops` pools from one token to the other may use a changed pool. */
  mayMatter(tokenIn: number, tokenOut: number, maxHops: number): boolean {
    const pairs = this.#pairs;
    for (let at = 0; at < pairs.length; at += 2) {
      const from = pairs[at]!;
      const to = pairs[at + 1]!;
      // A path ends where it comes to the token out, and never comes back to the token in.
      if (from === tokenOut || to === tokenIn) continue;
      const before = this.#hopsBetween(tokenIn, from, maxHops - 1);
      if (before + 1 > maxHops) continue;
      const after = this.#hopsBetween(to, tokenOut, maxHops - 1 - before);
      if (before + 1 + after <= maxHops) return true;
    }
    return false;
  }

  /** Never more than there are; one more than HOPS_KNOWN, or than `enough`, where there are more. */
  #hopsBetween(one: number, other: number, enough: number): number {
    if (one === other) return 0;
    if (enough <= 0) return 1;
    const key = one * this.#graph.tokenCount + other;
    let hops = this.#hops.get(key);
    if (hops === undefined) {
      hops = hopsUpToTwo(this.#graph, one, other);
      this.#hops.set(key, hops);
    }
    return hops;
  }
}

/** Pools between two tokens: 1, 2, or 3 for all that are more. */
function hopsUpToTwo(graph: PoolGraph, one: number, other: number): number {
  if (areNeighbours(graph, one, other)) return 1;
  const { slotNeighbour, slotStart, slotTransitEnd } = graph;
  // From the one with fewer neighbours: that is nearly always very few.
  const listLength = (token: number) => slotTransitEnd[token]! - slotStart[token]!;
  const [few, many] = listLength(one) <= listLength(other) ? [one, other] : [other, one];
  let last = -1;
  for (let slot = slotStart[few]!; slot < slotTransitEnd[few]!; slot++) {
    const middle = slotNeighbour[slot]!;
    if (middle === last) continue;
    last = middle;
    if (areNeighbours(graph, middle, many)) return 2;
  }
  return 3;
}

function areNeighbours(graph: PoolGraph, one: number, other: number): boolean {
  const { start, end } = slotsBetween(graph, one, other);
  return start < end;
}

function pairsOf(graph: PoolGraph, pools: ReadonlyArray<PoolIndex>): number[] {
  const keys = new Set<number>();
  for (const pool of pools) {
    const count = graph.poolTokenCount[pool]!;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        if (i !== j) {
          keys.add(graph.poolToken(pool, i) * graph.tokenCount + graph.poolToken(pool, j));
        }
      }
    }
  }
  const pairs: number[] = [];
  for (const key of keys) pairs.push(Math.floor(key / graph.tokenCount), key % graph.tokenCount);
  return pairs;
}

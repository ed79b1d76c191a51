import { allocate, grown } from "../../graph/buffers.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { GainHeap } from "./GainHeap.ts";
import { MarginalPaths } from "./MarginalPaths.ts";
import type { PathFlows } from "./PathFlows.ts";

/** A path has to beat the common rate by more than this part to be worth its place. */
const EXCESS_MIN = 1e-6;
/** A gain that has fallen by less still counts as what it was. */
const STALE = 0.999;

/**
 * The paths that promise most on top of those there are: the best through each edge, taken greedily
 * by gain, each after what those taken before it leave.
 */
export class CandidatePaths {
  readonly #graph: PoolGraph;
  readonly #edges: CandidateEdges;
  readonly #flows: PathFlows;
  readonly #marginal: MarginalPaths;
  readonly #heap = new GainHeap();
  #maxHops = 0;

  // Index: edge. As the paths that were added in this round will leave it.
  #rates = allocate(Float64Array, 0);
  #depths = allocate(Float64Array, 0);
  // Index: pool. The edge that uses it plus one; true of the candidates' pools only. A pool is used
  // by one edge alone: back and forth would only pay fees.
  #usedBy = allocate(Uint32Array, 0);
  // Index: candidate × HOPS_MAX + hop; and candidate.
  #paths = allocate(Uint32Array, 0);
  #hops = allocate(Uint8Array, 0);
  /** What the candidate that `#gain` was last asked for would take. */
  #take = 0;

  constructor(graph: PoolGraph, edges: CandidateEdges, flows: PathFlows) {
    this.#graph = graph;
    this.#edges = edges;
    this.#flows = flows;
    this.#marginal = new MarginalPaths(edges);
  }

  /** After edges were collected. */
  begin(maxHops: number): void {
    const { count } = this.#edges;
    this.#maxHops = maxHops;
    this.#rates = grown(Float64Array, this.#rates, count);
    this.#depths = grown(Float64Array, this.#depths, count);
    this.#usedBy = grown(Uint32Array, this.#usedBy, this.#graph.poolCount);
    this.#paths = grown(Uint32Array, this.#paths, count * HOPS_MAX);
    this.#hops = grown(Uint8Array, this.#hops, count);
  }

  /** What the next unit gives on the best path. */
  bestRate(): number {
    let best = 0;
    this.#openEdges();
    this.#marginal.label(Number.MIN_VALUE ** 0.25, this.#rates, this.#depths, this.#maxHops);
    for (let edge = this.#edges.middleEnd; edge < this.#edges.count; edge++) {
      if (this.#note(edge, 0)) best = Math.max(best, this.#rate(0));
    }
    return best;
  }

  /**
   * Adds up to `room` paths that gain at the common rate, and gives their number. Paths are sought
   * with a trial amount; `most` bounds what one of them may be expected to take.
   */
  add(room: number, trial: number, commonRate: number, most: number): number {
    const { count } = this.#edges;
    const heap = this.#heap;
    this.#openEdges();
    this.#marginal.label(trial, this.#rates, this.#depths, this.#maxHops);
    heap.clear(count);
    let candidates = 0;
    for (let edge = 0; edge < count; edge++) {
      if (!this.#note(edge, candidates)) continue;
      const gain = this.#gain(candidates, commonRate);
      if (gain > 0) heap.push(candidates++, gain);
    }
    let added = 0;
    while (added < room && heap.size > 0) {
      const candidate = heap.top;
      const gain = this.#gain(candidate, commonRate);
      if (gain > 0 && gain < heap.topGain * STALE) {
        heap.replaceTop(gain);
        continue;
      }
      heap.pop();
      if (gain > 0 && this.#admit(candidate, most)) added++;
    }
    return added;
  }

  /** Writes the best path through an edge as a candidate; false when there is none. */
  #note(edge: number, candidate: number): boolean {
    const start = candidate * HOPS_MAX;
    const path = this.#paths.subarray(start, start + HOPS_MAX);
    this.#hops[candidate] = this.#marginal.pathThrough(edge, path);
    return this.#hops[candidate]! > 0;
  }

  #openEdges(): void {
    const { count, pool } = this.#edges;
    const flows = this.#flows;
    const usedBy = this.#usedBy;
    for (let edge = 0; edge < count; edge++) usedBy[pool[edge]!] = 0;
    for (let path = 0; path < flows.count; path++) {
      for (let hop = 0; hop < flows.hops[path]!; hop++) {
        const edge = flows.edges[path * HOPS_MAX + hop]!;
        usedBy[pool[edge]!] = edge + 1;
      }
    }
    for (let edge = 0; edge < count; edge++) {
      const user = usedBy[pool[edge]!]!;
      this.#rates[edge] = user === 0 || user === edge + 1 ? flows.edgeRate[edge]! : 0;
      this.#depths[edge] = flows.edgeDepth[edge]!;
    }
  }

  #rate(candidate: number): number {
    let rate = 1;
    const start = candidate * HOPS_MAX;
    for (let at = start; at < start + this.#hops[candidate]!; at++) {
      rate *= this.#rates[this.#paths[at]!]!;
    }
    return rate;
  }

  /**
   * What the candidate adds beyond the common rate r: with the rate v of its first unit and the
   * depth d of its chain, d × (√v − √r)², by taking d × (√(v / r) − 1).
   */
  #gain(candidate: number, commonRate: number): number {
    let reciprocal = 0;
    let rate = 1;
    const start = candidate * HOPS_MAX;
    for (let at = start; at < start + this.#hops[candidate]!; at++) {
      const edge = this.#paths[at]!;
      reciprocal += rate / this.#depths[edge]!;
      rate *= this.#rates[edge]!;
    }
    if (!(rate > commonRate * (1 + EXCESS_MIN))) return 0;
    const root = Math.sqrt(commonRate);
    const excess = Math.sqrt(rate) - root;
    this.#take = excess / root / reciprocal;
    return (excess * excess) / reciprocal;
  }

  /** Adds the candidate unless it is there already or in the way of another. */
  #admit(candidate: number, most: number): boolean {
    const start = candidate * HOPS_MAX;
    const path = this.#paths.subarray(start, start + this.#hops[candidate]!);
    for (const edge of path) {
      const user = this.#usedBy[this.#edges.pool[edge]!]!;
      if (user !== 0 && user !== edge + 1) return false;
    }
    if (this.#flows.has(path)) return false;
    this.#flows.add(path);
    let amount = Math.min(this.#take, most);
    for (const edge of path) {
      this.#usedBy[this.#edges.pool[edge]!] = edge + 1;
      const depth = this.#depths[edge]!;
      const rate = this.#rates[edge]!;
      const kept = depth / (depth + amount);
      this.#rates[edge] = rate * kept * kept;
      this.#depths[edge] = depth + amount;
      amount *= rate * kept;
    }
    return true;
  }
}

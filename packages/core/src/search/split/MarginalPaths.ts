import { allocate, grown } from "../../graph/buffers.ts";
import { HOPS_MAX } from "../quote.ts";
import { type CandidateEdges, GOAL, ORIGIN } from "./CandidateEdges.ts";
import type { EdgeStates } from "./EdgeStates.ts";
import { withoutCircles } from "./withoutCircles.ts";

/**
 * For each edge, the path through it that would give the most for a trial amount, on top of what
 * all edges already carry. A trial amount that is too small for rounding, but not for depth, keeps
 * shallow pools with a good first unit from hiding the deep ones.
 *
 * Layer by layer: first the most that can arrive at each token over a number of edges; then, with
 * each edge's average rate for the amount that can arrive before it, the best product of rates from
 * each token on.
 */
export class MarginalPaths {
  readonly #edges: CandidateEdges;
  #maxHops = 0;
  // Index: hops, then local token. The amount that arrives over exactly so many edges, and the last
  // edge.
  readonly #arriving = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  readonly #lastEdge = Array.from({ length: HOPS_MAX }, () => allocate(Uint32Array, 0));
  // Index: hops, then local token. The best rate to the goal over at most so many edges, the first
  // of them, and their number.
  readonly #leaving = Array.from({ length: HOPS_MAX }, () => allocate(Float64Array, 0));
  readonly #firstEdge = Array.from({ length: HOPS_MAX }, () => allocate(Uint32Array, 0));
  readonly #edgesLeft = Array.from({ length: HOPS_MAX }, () => allocate(Uint8Array, 0));
  // Index: local token. The most that arrives.
  #most = allocate(Float64Array, 0);
  // Index: edge. Output per input, for the amount that can arrive before it.
  #averages = allocate(Float64Array, 0);

  constructor(edges: CandidateEdges) {
    this.#edges = edges;
  }

  /** Labels all tokens, with the edges in their current states. */
  label(trial: number, states: EdgeStates, maxHops: number): void {
    const { count, tokenCount } = this.#edges;
    this.#maxHops = maxHops;
    this.#averages = grown(Float64Array, this.#averages, count);
    this.#most = grown(Float64Array, this.#most, tokenCount);
    for (let hops = 0; hops < maxHops; hops++) this.#reserve(hops, tokenCount);
    this.#arriving[0]![ORIGIN] = trial;
    this.#leaving[0]![GOAL] = 1;
    for (let hops = 1; hops < maxHops; hops++) this.#labelArriving(hops, states);
    this.#average(states);
    for (let hops = 1; hops < maxHops; hops++) this.#labelLeaving(hops);
  }

  /**
   * About the output of the trial amount on the best path through an edge; 0 when there is none.
   */
  outputThrough(edge: number): number {
    this.#findBest(edge);
    return this.#best;
  }

  /**
   * Writes the edges of the last path of `outputThrough` from `start` on, and returns their number;
   * 0 when the path passes a pool twice. Without what lies between two visits of a token: a round
   * trip with a profit would hide the path that does without.
   */
  pathThrough(edge: number, into: Uint32Array, start: number): number {
    const { from, to } = this.#edges;
    const before = this.#bestBefore;
    let token = from[edge]!;
    into[start + before] = edge;
    for (let hop = before; hop > 0; hop--) {
      const last = this.#lastEdge[hop]![token]!;
      into[start + hop - 1] = last;
      token = from[last]!;
    }
    let hops = before + 1;
    token = to[edge]!;
    let left = this.#maxHops - hops;
    while (token !== GOAL) {
      const first = this.#firstEdge[left]![token]!;
      left = this.#edgesLeft[left]![token]! - 1;
      into[start + hops++] = first;
      token = to[first]!;
    }
    const end = withoutCircles(into, start, start + hops, to);
    return this.#hasPoolTwice(into, start, end) ? 0 : end - start;
  }

  #best = 0;
  /** Edges before the last edge given to `#findBest`. */
  #bestBefore = 0;

  #findBest(edge: number): void {
    const { firstEnd, from, middleEnd, to } = this.#edges;
    const maxHops = this.#maxHops;
    const start = from[edge]!;
    const end = to[edge]!;
    const average = this.#averages[edge]!;
    const fewest = start === ORIGIN ? 0 : 1;
    const most = edge < firstEnd ? 0 : edge < middleEnd ? maxHops - 2 : maxHops - 1;
    this.#best = 0;
    for (let before = fewest; before <= most; before++) {
      const after = this.#leaving[maxHops - 1 - before]![end]!;
      const output = this.#arriving[before]![start]! * average * after;
      if (!(output > this.#best)) continue;
      this.#best = output;
      this.#bestBefore = before;
    }
  }

  #hasPoolTwice(path: Uint32Array, start: number, end: number): boolean {
    const { pool } = this.#edges;
    for (let at = start + 1; at < end; at++) {
      for (let earlier = start; earlier < at; earlier++) {
        if (pool[path[earlier]!] === pool[path[at]!]) return true;
      }
    }
    return false;
  }

  #labelArriving(hops: number, states: EdgeStates): void {
    const { firstEnd, from, middleEnd, to } = this.#edges;
    const before = this.#arriving[hops - 1]!;
    const labels = this.#arriving[hops]!;
    const last = this.#lastEdge[hops]!;
    const end = hops === 1 ? firstEnd : middleEnd;
    for (let edge = hops === 1 ? 0 : firstEnd; edge < end; edge++) {
      const amount = before[from[edge]!]!;
      if (amount === 0) continue;
      const label = states.output(edge, amount);
      const token = to[edge]!;
      if (!(label > labels[token]!)) continue;
      labels[token] = label;
      last[token] = edge;
    }
  }

  #average(states: EdgeStates): void {
    const { count, from, tokenCount } = this.#edges;
    const most = this.#most;
    most.fill(0, 0, tokenCount);
    for (let hops = 0; hops < this.#maxHops; hops++) {
      const arriving = this.#arriving[hops]!;
      for (let token = 0; token < tokenCount; token++) {
        most[token] = Math.max(most[token]!, arriving[token]!);
      }
    }
    for (let edge = 0; edge < count; edge++) {
      const amount = most[from[edge]!]!;
      this.#averages[edge] = amount > 0 ? states.output(edge, amount) / amount : 0;
    }
  }

  #labelLeaving(hops: number): void {
    const { count, firstEnd, from, middleEnd, to, tokenCount } = this.#edges;
    const after = this.#leaving[hops - 1]!;
    const labels = this.#leaving[hops]!;
    const first = this.#firstEdge[hops]!;
    const left = this.#edgesLeft[hops]!;
    labels.set(after.subarray(0, tokenCount));
    first.set(this.#firstEdge[hops - 1]!.subarray(0, tokenCount));
    left.set(this.#edgesLeft[hops - 1]!.subarray(0, tokenCount));
    const end = hops === 1 ? count : middleEnd;
    for (let edge = hops === 1 ? middleEnd : firstEnd; edge < end; edge++) {
      const label = after[to[edge]!]! * this.#averages[edge]!;
      const token = from[edge]!;
      if (!(label > labels[token]!)) continue;
      labels[token] = label;
      first[token] = edge;
      left[token] = to[edge] === GOAL ? 1 : this.#edgesLeft[hops - 1]![to[edge]!]! + 1;
    }
  }

  #reserve(hops: number, tokenCount: number): void {
    this.#arriving[hops] = grown(Float64Array, this.#arriving[hops]!, tokenCount);
    this.#lastEdge[hops] = grown(Uint32Array, this.#lastEdge[hops]!, tokenCount);
    this.#leaving[hops] = grown(Float64Array, this.#leaving[hops]!, tokenCount);
    this.#firstEdge[hops] = grown(Uint32Array, this.#firstEdge[hops]!, tokenCount);
    this.#edgesLeft[hops] = grown(Uint8Array, this.#edgesLeft[hops]!, tokenCount);
    this.#arriving[hops]!.fill(0, 0, tokenCount);
    this.#leaving[hops]!.fill(0, 0, tokenCount);
  }
}

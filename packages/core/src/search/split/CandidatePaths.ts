import type { Curve, PoolFamily } from "../../Curve.ts";
import { allocate, grown } from "../../graph/buffers.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import { HOPS_MAX } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { EdgeStates } from "./EdgeStates.ts";
import type { FlowPaths } from "./FlowPaths.ts";
import { GainHeap } from "./GainHeap.ts";
import { MarginalPaths } from "./MarginalPaths.ts";
import type { PathFlows } from "./PathFlows.ts";
import { withoutCircles } from "./withoutCircles.ts";

/** So little that depth does not matter, while products of it do not vanish. */
const FIRST_UNIT = 2 ** -256;
/** A path must beat the common rate by more than this part to be added. */
const EXCESS_MIN = 1e-6;
/** A path that gains less with its full amount than with half takes the half, and so on. */
const HALVINGS_MAX = 10;
/** A gain that has fallen by less still counts as unchanged. */
const STALE = 0.999;

/** No candidate. */
const NONE = 2 ** 32 - 1;
/** The first bit for tokens that a pool gives. */
const GIVEN = 8;
/** The bits of a pool that allows one swap, which it has: every other is against it. */
const USED_UP = 2 ** 16 - 1;

/** The terms of the search for paths. */
interface Trial {
  /** The search assumes that so much goes in. */
  readonly amount: number;
  /** The output of the last unit of each existing path. */
  readonly commonRate: number;
  /** The cost of a unit of gas, in units of the output; 0 where it does not matter. */
  readonly gasWorth: number;
  /** No path is expected to take more. */
  readonly most: number;
}

/**
 * The most promising paths besides the existing ones: the best through each edge, taken greedily by
 * gain, each after the effect of those before.
 */
export class CandidatePaths {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #edges: CandidateEdges;
  readonly #flows: PathFlows;
  readonly #marginal: MarginalPaths;
  readonly #flowPaths: FlowPaths;
  readonly #heap = new GainHeap();
  #maxHops = 0;
  /** Whether a pool that allows one swap in a route may be used by several paths. */
  allowsRepeats = true;

  readonly #states: EdgeStates;
  // Index: pool. The positions of the tokens that it takes, as bits, and from GIVEN on those that
  // it gives; valid only for the candidates' pools. No token is both: back and forth would only pay
  // fees.
  #used = allocate(Uint16Array, 0);
  // Index: candidate × HOPS_MAX + hop; and candidate.
  #paths = allocate(Uint32Array, 0);
  #hops = allocate(Uint8Array, 0);
  // Index: edge. The candidate that was noted for it, or NONE.
  #candidateOf = allocate(Uint32Array, 0);
  /** See `Trial`. */
  #gasWorth = 0;
  /** The amount that the last candidate given to `#gain` would take. */
  #take = 0;
  /** See `#through`. */
  #isInPieces = false;

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
    flows: PathFlows,
    flowPaths: FlowPaths,
  ) {
    this.#flowPaths = flowPaths;
    this.#graph = graph;
    this.#families = families;
    this.#states = new EdgeStates(graph, curves, families, edges);
    this.#edges = edges;
    this.#flows = flows;
    this.#marginal = new MarginalPaths(edges);
  }

  /** To be called after edges were collected. */
  begin(maxHops: number): void {
    const { count } = this.#edges;
    this.#maxHops = maxHops;
    this.#states.open();
    this.#used = grown(Uint16Array, this.#used, this.#graph.poolCount);
    this.#paths = grown(Uint32Array, this.#paths, count * HOPS_MAX);
    this.#hops = grown(Uint8Array, this.#hops, count);
    this.#candidateOf = grown(Uint32Array, this.#candidateOf, count);
  }

  /**
   * Adds the paths of the flow, which together take `amountIn`, except those in the way of others.
   */
  addFlow(amountIn: number): void {
    this.#openEdges();
    const shortened: { path: Uint32Array; part: number }[] = [];
    this.#flowPaths.take((path, part) => {
      const simple = path.slice();
      const end = withoutCircles(simple, 0, path.length, this.#edges.to);
      if (end === path.length) this.#addPart(simple, part * amountIn);
      else shortened.push({ path: simple.subarray(0, end), part });
    });
    for (const { path, part } of shortened) {
      const known = this.#find(path);
      if (known === undefined) this.#addPart(path, part * amountIn);
      else this.#flows.amountIn[known]! += part * amountIn;
    }
  }

  #addPart(path: Uint32Array, amountIn: number): void {
    const { pool } = this.#edges;
    for (const [at, edge] of path.entries()) {
      if (this.#isAgainst(edge)) return;
      for (let before = 0; before < at; before++) {
        if (pool[path[before]!] === pool[edge]) return;
      }
    }
    this.#flows.add(path);
    this.#flows.amountIn[this.#flows.count - 1] = amountIn;
    for (const edge of path) this.#use(edge);
  }

  /** The number of the path among the flows, if it exists already. */
  #find(path: ArrayLike<number>): number | undefined {
    const { count, edges, hops } = this.#flows;
    for (let known = 0; known < count; known++) {
      if (hops[known] !== path.length) continue;
      let hop = 0;
      while (hop < path.length && edges[known * HOPS_MAX + hop] === path[hop]) hop++;
      if (hop === path.length) return known;
    }
    return undefined;
  }

  /** The output of the next unit on the best path. */
  bestRate(): number {
    let best = 0;
    this.#openEdges();
    this.#marginal.label(FIRST_UNIT, this.#states, this.#maxHops);
    for (let edge = this.#edges.middleEnd; edge < this.#edges.count; edge++) {
      if (this.#note(edge, 0, 0)) best = Math.max(best, this.#rate(0));
    }
    return best;
  }

  /** Adds up to `room` paths that gain at the common rate, and returns their number. */
  add(room: number, { amount: trial, commonRate, gasWorth, most }: Trial): number {
    const { count } = this.#edges;
    const heap = this.#heap;
    this.#gasWorth = gasWorth;
    this.#openEdges();
    this.#marginal.label(trial, this.#states, this.#maxHops);
    heap.clear(count);
    let candidates = 0;
    for (let edge = 0; edge < count; edge++) {
      this.#candidateOf[edge] = NONE;
      if (!this.#note(edge, candidates, commonRate * trial)) continue;
      if (this.#isNoted(candidates, edge)) continue;
      const gain = this.#gain(candidates, commonRate, most);
      if (!(gain > 0)) continue;
      this.#candidateOf[edge] = candidates;
      heap.push(candidates++, gain);
    }
    let added = 0;
    while (added < room && heap.size > 0) {
      const candidate = heap.top;
      const gain = this.#gain(candidate, commonRate, most);
      if (gain > 0 && gain < heap.topGain * STALE) {
        heap.replaceTop(gain);
        continue;
      }
      heap.pop();
      if (gain > 0 && this.#admit(candidate)) added++;
    }
    return added;
  }

  /** Writes the best path through an edge as a candidate; false when the trial gives too little. */
  #note(edge: number, candidate: number, least: number): boolean {
    if (!(this.#marginal.outputThrough(edge) > least)) return false;
    const start = candidate * HOPS_MAX;
    this.#hops[candidate] = this.#marginal.pathThrough(edge, this.#paths, start);
    return this.#hops[candidate]! > 0;
  }

  /** Whether the candidate's path was noted for an edge before this one. */
  #isNoted(candidate: number, edge: number): boolean {
    const start = candidate * HOPS_MAX;
    for (let at = start; at < start + this.#hops[candidate]!; at++) {
      const earlier = this.#paths[at]!;
      if (earlier >= edge) continue;
      const noted = this.#candidateOf[earlier]!;
      if (noted !== NONE && this.#isSame(noted, candidate)) return true;
    }
    return false;
  }

  #isSame(one: number, other: number): boolean {
    const hops = this.#hops[one]!;
    if (hops !== this.#hops[other]) return false;
    for (let hop = 0; hop < hops; hop++) {
      if (this.#paths[one * HOPS_MAX + hop] !== this.#paths[other * HOPS_MAX + hop]) return false;
    }
    return true;
  }

  #openEdges(): void {
    const { count, pool } = this.#edges;
    const flows = this.#flows;
    const used = this.#used;
    for (let edge = 0; edge < count; edge++) used[pool[edge]!] = 0;
    for (let path = 0; path < flows.count; path++) {
      for (let hop = 0; hop < flows.hops[path]!; hop++)
        this.#use(flows.edges[path * HOPS_MAX + hop]!);
    }
    this.#states.begin(flows);
    for (let edge = 0; edge < count; edge++) {
      if (used[pool[edge]!]! > 0 && this.#isAgainst(edge)) this.#states.rate[edge] = 0;
    }
  }

  #use(edge: number): void {
    const { pool, positionIn, positionOut } = this.#edges;
    const index = pool[edge]! as PoolIndex;
    const family = this.#families[this.#graph.poolCurve[index]!]!;
    const isUsedUp = !this.allowsRepeats && family.feeFollowsSwaps?.(index);
    this.#used[index]! |= isUsedUp
      ? USED_UP
      : (1 << positionIn[edge]!) | (1 << (GIVEN + positionOut[edge]!));
  }

  /** Whether its pool gives the edge's token in, takes its token out, or allows no more swaps. */
  #isAgainst(edge: number): boolean {
    const { pool, positionIn, positionOut } = this.#edges;
    const against = (1 << (GIVEN + positionIn[edge]!)) | (1 << positionOut[edge]!);
    return (this.#used[pool[edge]!]! & against) !== 0;
  }

  #rate(candidate: number): number {
    let rate = 1;
    const start = candidate * HOPS_MAX;
    for (let at = start; at < start + this.#hops[candidate]!; at++) {
      rate *= this.#states.rate[this.#paths[at]!]!;
    }
    return rate;
  }

  /**
   * What the candidate adds beyond the common rate r, minus its gas. With its first unit's rate v
   * and the depth d of its chain it takes d × (√(v / r) − 1), or less where its pools do not reach
   * so far.
   */
  #gain(candidate: number, commonRate: number, most: number): number {
    const { depth, rate } = this.#states;
    let reciprocal = 0;
    let first = 1;
    const start = candidate * HOPS_MAX;
    const end = start + this.#hops[candidate]!;
    for (let at = start; at < end; at++) {
      const edge = this.#paths[at]!;
      reciprocal += first / depth[edge]!;
      first *= rate[edge]!;
    }
    if (!(first > commonRate * (1 + EXCESS_MIN))) return 0;
    let take = Math.min(most, (Math.sqrt(first / commonRate) - 1) / reciprocal);
    let gain = 0;
    for (let halving = 0; halving < HALVINGS_MAX; halving++) {
      const more = this.#through(start, end, take) - commonRate * take;
      if (gain > 0 && more <= gain) break;
      if (more > gain) {
        gain = more;
        this.#take = take;
        // Within the first pieces, this is the best amount.
        if (this.#isInPieces) break;
      }
      take /= 2;
    }
    return this.#gasWorth > 0 ? gain - this.#gasWorth * this.#leastGas(start, end) : gain;
  }

  #leastGas(start: number, end: number): number {
    let gas = 0;
    for (let at = start; at < end; at++) {
      const pool = this.#edges.pool[this.#paths[at]!]!;
      gas += this.#families[this.#graph.poolCurve[pool]!]!.leastGas;
    }
    return gas;
  }

  /** The output of an amount; notes whether it stays within the current piece of each edge. */
  #through(start: number, end: number, amount: number): number {
    let arriving = amount;
    this.#isInPieces = true;
    for (let at = start; at < end; at++) {
      const edge = this.#paths[at]!;
      this.#isInPieces &&= arriving <= this.#states.room[edge]!;
      arriving = this.#states.output(edge, arriving);
    }
    return arriving;
  }

  /** Adds the candidate unless it exists already or is in the way of another. */
  #admit(candidate: number): boolean {
    const start = candidate * HOPS_MAX;
    const path = this.#paths.subarray(start, start + this.#hops[candidate]!);
    for (const edge of path) if (this.#isAgainst(edge)) return false;
    if (this.#find(path) !== undefined) return false;
    this.#flows.add(path);
    let amount = this.#take;
    for (const edge of path) {
      this.#use(edge);
      amount = this.#states.advance(edge, amount);
    }
    return true;
  }
}

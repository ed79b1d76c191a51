import { ESTIMATE_ERROR, type PoolFamily } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { slotsBetween } from "../search/slotsBetween.ts";
import { CycleCurve } from "./CycleCurve.ts";
import { CycleLabels } from "./CycleLabels.ts";
import { type CyclePath, pathAlong } from "./CyclePath.ts";
import { ExactSizes } from "./ExactSizes.ts";
import type { KeptCycles } from "./KeptCycles.ts";
import { profitBound } from "./profitBound.ts";

/** Candidates that wait for an exact look, so that the best come first. */
const WAITING_MAX = 1024;
const UP = 1 + ESTIMATE_ERROR;

/** A path from the first token so far, in value; see `CycleLabels`. */
interface Reach {
  readonly rate: number;
  readonly gain: number;
  readonly bonus: number;
  readonly hasChanged: boolean;
}

const START: Reach = { rate: 1, gain: 0, bonus: 0, hasChanged: false };

interface Child {
  readonly slot: number;
  readonly reach: Reach;
  readonly bound: number;
}

interface Candidate {
  readonly path: CyclePath;
  readonly bound: number;
  readonly amounts: Float64Array;
}

/**
 * Finds all profitable round trips: those whose rates at the current prices multiply to more than
 * 1, and in which the exact pass finds a profit. Searches depth first from the token, the most
 * promising first. It drops a path whose bound over all ways back (`CycleLabels`) is no profit, or
 * less than would be kept. In a market without arbitrage it looks at next to nothing.
 */
export class CycleFinder {
  readonly #graph: PoolGraph;
  readonly #curve: CycleCurve;
  readonly #labels: CycleLabels;
  readonly #sizes: ExactSizes;

  #first = 0;
  #maxHops = 0;
  #isChanged: Uint8Array = new Uint8Array();
  #kept: KeptCycles | undefined;
  readonly #slots: number[] = [];
  readonly #tokens: number[] = [];
  #waiting: Candidate[] = [];

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>, gasLimit: number) {
    this.#graph = graph;
    this.#curve = new CycleCurve(graph, families);
    this.#labels = new CycleLabels(graph, this.#curve);
    this.#sizes = new ExactSizes(graph, families, gasLimit);
  }

  /** Adds cycles through pools that `isChanged` marks with 1 to `kept`, which keeps the best. */
  find(first: number, maxHops: number, isChanged: Uint8Array, kept: KeptCycles): void {
    this.#first = first;
    this.#maxHops = maxHops;
    this.#isChanged = isChanged;
    this.#kept = kept;
    this.#labels.build(first, maxHops, isChanged);
    this.#slots.length = 0;
    this.#tokens.length = 0;
    this.#walk(first, START);
    this.#evaluateWaiting();
  }

  /** Continues from the token that the slots so far lead to. */
  #walk(token: number, reach: Reach): void {
    const hops = this.#slots.length;
    if (hops > 0) this.#close(token, reach);
    const left = this.#maxHops - hops - 1;
    if (left === 0) return;
    const children = this.#children(token, reach, left);
    this.#tokens.push(token);
    for (const { slot, reach, bound } of children) {
      if (bound < this.#kept!.leastProfit) break;
      this.#slots.push(slot);
      this.#walk(this.#graph.slotNeighbour[slot]!, reach);
      this.#slots.pop();
    }
    this.#tokens.pop();
  }

  /** The slots that may continue a profitable cycle, with up to `left` more hops after them. */
  #children(token: number, reach: Reach, left: number): Child[] {
    const {
      slotEnd,
      slotNeighbour,
      slotOut,
      slotPool,
      slotStart,
      slotTransitEnd,
      tokenIsExcluded,
    } = this.#graph;
    const labels = this.#labels;
    const children: Child[] = [];
    // A token whose only neighbour is the first one may be passed, by two of its pools.
    const end = this.#slots.length === 0 ? slotEnd[token]! : slotTransitEnd[token]!;
    for (let slot = slotStart[token]!; slot < end; slot++) {
      const next = slotNeighbour[slot]!;
      const hasChanged = reach.hasChanged || this.#isChanged[slotPool[slot]!] === 1;
      const backRate = (hasChanged ? labels.rate : labels.changedRate)[left]![next]!;
      if (backRate === 0 || tokenIsExcluded[next] === 1) continue;
      labels.readEdge(slotOut, slot, token, next);
      if (reach.rate * labels.edgeRate * backRate <= 1 || this.#isUsed(slot, next)) continue;
      const extended = this.#extended(reach, hasChanged);
      const back = {
        rate: backRate,
        gain: (hasChanged ? labels.gain : labels.changedGain)[left]![next]!,
        bonus: labels.bonus[left]![next]!,
      };
      const bound = profitBound(extended, back);
      if (bound >= this.#kept!.leastProfit) children.push({ slot, reach: extended, bound });
    }
    return children.sort((a, b) => b.bound - a.bound);
  }

  /** A reach extended by the edge that was read last. */
  #extended(reach: Reach, hasChanged: boolean): Reach {
    const { edgeBonus, edgeGain, edgeRate } = this.#labels;
    return {
      rate: reach.rate * edgeRate,
      gain: reach.gain + edgeGain,
      bonus: (reach.bonus + edgeBonus) * edgeRate,
      hasChanged,
    };
  }

  #isUsed(slot: number, next: number): boolean {
    if (this.#tokens.includes(next)) return true;
    const { slotPool } = this.#graph;
    return this.#slots.some((used) => slotPool[used] === slotPool[slot]);
  }

  /** Makes a candidate of the path with each pool that leads back. */
  #close(token: number, reach: Reach): void {
    const { slotOut, slotPool } = this.#graph;
    const range = slotsBetween(this.#graph, token, this.#first);
    for (let slot = range.start; slot < range.end; slot++) {
      const hasChanged = reach.hasChanged || this.#isChanged[slotPool[slot]!] === 1;
      if (!hasChanged || this.#slots.some((used) => slotPool[used] === slotPool[slot])) continue;
      this.#labels.readEdge(slotOut, slot, token, this.#first);
      const whole = this.#extended(reach, true);
      if (whole.rate <= 1 || whole.gain * UP < this.#kept!.leastProfit) continue;
      this.#slots.push(slot);
      this.#await(whole.bonus);
      this.#slots.pop();
    }
  }

  #await(bonus: number): void {
    const path = pathAlong(this.#graph, this.#slots);
    if (!(this.#curve.firstRate(path) > 1)) return;
    const bound = (this.#curve.peakProfit(path, 1) + bonus) * UP;
    if (bound < this.#kept!.leastProfit) return;
    this.#waiting.push({ path, bound, amounts: this.#curve.peakAmounts.slice() });
    if (this.#waiting.length === WAITING_MAX) this.#evaluateWaiting();
  }

  #evaluateWaiting(): void {
    const kept = this.#kept!;
    this.#waiting.sort((a, b) => b.bound - a.bound);
    for (const { path, bound, amounts } of this.#waiting) {
      if (bound < kept.leastProfit) break;
      const cycle = this.#sizes.size(path, amounts);
      if (cycle !== undefined) kept.add(cycle);
    }
    this.#waiting = [];
  }
}

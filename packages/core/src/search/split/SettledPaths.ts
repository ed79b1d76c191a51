import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import type { QuoteRequest } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { FlowSettler, type FlowTarget, type Precision } from "./FlowSettler.ts";
import type { PathFlows } from "./PathFlows.ts";
import { PathLosses } from "./PathLosses.ts";
import { PathsCopy } from "./PathsCopy.ts";

/** The most of the target, as a part, that is left for the largest path to take. */
const REST_MAX = 1 / 4;
/** With at most so many paths, each removal is tried before one of them goes. */
const WEIGHED_MAX = 6;
/** A solution that misses the target by more than this part is invalid. */
const UNFILLED_MAX = 1e-3;
/** Above this number, paths are removed many at a time. */
const MANY = 128;
/** Of many paths that do not earn their gas, this part goes at once. */
const THINNED = 1 / 4;
/** Amounts that miss the target by more than this part do not answer the request. */
const MISSED_MAX = 1e-6;

/**
 * The settled paths of a solution for one target, and which of them are best removed: those whose
 * loss, minus their gas cost, is least.
 */
export class SettledPaths {
  readonly flows: PathFlows;
  readonly settler: FlowSettler;
  readonly #losses: PathLosses;
  target: FlowTarget = { kind: "exactIn", amount: 0 };
  precision: Precision = { rounds: 0, tolerance: 0 };
  gasPrice = 0;

  constructor(
    graph: PoolGraph,
    families: ReadonlyArray<PoolFamily>,
    edges: CandidateEdges,
    flows: PathFlows,
  ) {
    this.flows = flows;
    this.settler = new FlowSettler(flows);
    this.#losses = new PathLosses(graph, families, edges, flows);
  }

  /** Whether the paths together can take, or give, the amount; the largest takes the rest. */
  get meetsTarget(): boolean {
    const { kind, amount } = this.target;
    const reached = kind === "exactIn" ? this.flows.totalIn : this.flows.totalOut;
    return Math.abs(reached - amount) <= REST_MAX * amount;
  }

  /** Removes the paths that use the most gas for their worth: one, or a part of many. */
  thin({ gasPrice = 0 }: QuoteRequest): void {
    this.gasPrice = gasPrice;
    const { flows } = this;
    let idle = 0;
    for (let path = 0; path < flows.count; path++) if (this.#use(path) <= 0) idle++;
    this.#removeLeastUseful(Math.max(1, Math.ceil(idle * THINNED)));
    this.settle();
  }

  /** About the output, or minus the input, after gas. */
  leftAfterGas({ gasPrice = 0, kind }: QuoteRequest): number {
    const { flows } = this;
    const { amount } = this.target;
    const [given, left] =
      kind === "exactIn" ? [flows.totalIn, flows.totalOut] : [flows.totalOut, -flows.totalIn];
    if (!(Math.abs(given - amount) <= MISSED_MAX * amount)) return Number.NEGATIVE_INFINITY;
    let gas = 0;
    for (let path = 0; path < flows.count; path++) gas += this.#losses.gas(path);
    return left - gasPrice * gas;
  }

  /**
   * Removes paths, those with the least loss per gas first, until the rest needs at most `limit`.
   */
  spareGas(gas: ReadonlyArray<number>, limit: number): void {
    const order = gas.map((_, path) => path);
    const worth = gas.map((own, path) => this.#loss(path) / own);
    order.sort((a, b) => worth[a]! - worth[b]!);
    let left = gas.reduce((sum, own) => sum + own, 0);
    const removed = new Set<number>();
    for (const path of order) {
      if (left <= limit) break;
      left -= gas[path]!;
      removed.add(path);
    }
    this.flows.removeAll(removed);
    this.settle();
  }

  /** Limits a path that could not fill its amount to a part of it; 0 removes the path. */
  restrict(path: number, part: number): void {
    const { flows } = this;
    if (part === 0) {
      flows.remove(path);
    } else {
      flows.amountIn[path]! *= part;
      flows.bound[path] = flows.amountIn[path]!;
    }
    this.settler.settle(this.target, this.precision);
  }

  /** Removes paths, at first many at a time, while the loss is at most `room`. */
  removeSpare(room: number): void {
    const { flows } = this;
    const { rate } = this.settler;
    const least = this.#worth(rate) - (this.target.kind === "exactIn" ? room : room * rate);
    let most = flows.count;
    while (most > 0 && flows.count > 1) {
      const left = this.#worth(rate) - least;
      const count = Math.min(most, flows.count - 1, Math.max(1, this.#spareCount(left)));
      const all = new PathsCopy(flows);
      this.#removeLeastUseful(count);
      this.settle();
      if (this.#worth(rate) >= least) continue;
      all.restoreTo(flows);
      this.settler.rate = rate;
      this.settle();
      most = count >> 1;
    }
  }

  /** How many paths together lose at most `room`, by the loss of each. */
  #spareCount(room: number): number {
    const { count } = this.flows;
    const uses = Float64Array.from({ length: count }, (_, path) => this.#use(path)).sort();
    let lost = 0;
    let spared = 0;
    while (spared < count && lost + uses[spared]! <= room) lost += uses[spared++]!;
    return spared;
  }

  removeExcess(maxSplits: number): void {
    const { flows } = this;
    const few = Math.max(maxSplits, WEIGHED_MAX);
    while (flows.count > few) {
      const excess = flows.count - few;
      this.#removeLeastUseful(Math.min(excess, Math.max(excess >> 1, Math.ceil(maxSplits / 16))));
      this.settle();
    }
    while (flows.count > maxSplits) this.#removeLeastMissed();
  }

  /**
   * Removes the path without which the others, settled again, give the most. A path's own loss
   * (`#use`) does not include what others gain from the pools that it leaves to them.
   */
  #removeLeastMissed(): void {
    const { flows } = this;
    const { rate } = this.settler;
    const all = new PathsCopy(flows);
    let least = this.#leastUseful();
    let most = Number.NEGATIVE_INFINITY;
    for (let path = 0; path < all.count; path++) {
      this.#settleWithout(path, all, rate);
      const worth = this.#worth(rate);
      if (worth <= most) continue;
      most = worth;
      least = path;
    }
    this.#settleWithout(least, all, rate);
  }

  /** The total output minus the worth of the input at a rate and minus gas. */
  #worth(rate: number): number {
    const { flows } = this;
    const { kind, amount } = this.target;
    const reached = kind === "exactIn" ? flows.totalIn : flows.totalOut;
    if (!(Math.abs(reached - amount) <= UNFILLED_MAX * amount)) return Number.NEGATIVE_INFINITY;
    let gas = 0;
    if (this.gasPrice > 0) {
      for (let path = 0; path < flows.count; path++) gas += this.#losses.gas(path);
    }
    const gasWorth = this.gasPrice * (kind === "exactIn" ? 1 : rate);
    return flows.totalOut - rate * flows.totalIn - gasWorth * gas;
  }

  /**
   * Removes paths that bring less than their gas and rounding cost, or at most a unit of the
   * output; without a gas price, that unit stands for rounding.
   */
  removeIdle(): void {
    const { flows } = this;
    while (flows.count > 1) {
      let idle = 0;
      for (let path = 0; path < flows.count; path++) if (this.#isIdle(path)) idle++;
      if (idle === 0) return;
      if (flows.count <= WEIGHED_MAX) {
        if (!this.#removeOneIdle()) return;
        continue;
      }
      if (this.gasPrice === 0 && flows.count > MANY) {
        // The others hardly notice, and are settled anyway.
        this.#removeLeastUseful(Math.min(idle, flows.count - 1));
        return;
      }
      this.#removeLeastUseful(Math.ceil(idle * THINNED));
      this.settle();
    }
  }

  #isIdle(path: number): boolean {
    return this.#use(path) <= 1;
  }

  /**
   * Removes an idle path if the others, settled again, lose nothing by it: few paths may not be
   * able to carry its amount at the common rate. Returns whether one was removed.
   */
  #removeOneIdle(): boolean {
    const { flows } = this;
    const { rate } = this.settler;
    const worth = this.#worth(rate);
    const all = new PathsCopy(flows);
    const idle = Array.from({ length: flows.count }, (_, path) => path).filter((path) =>
      this.#isIdle(path),
    );
    for (const path of idle) {
      this.#settleWithout(path, all, rate);
      if (this.#worth(rate) >= worth - 1) return true;
    }
    all.restoreTo(flows);
    this.settler.rate = rate;
    this.settle();
    return false;
  }

  /** Settles all paths of a copy except one, from the rate at which they were settled. */
  #settleWithout(path: number, all: PathsCopy, rate: number): void {
    all.restoreTo(this.flows);
    this.flows.remove(path);
    this.settler.rate = rate;
    this.settle();
  }

  /**
   * Removes some paths: of few, one after the other, since each removal makes others more useful;
   * of many, all at once, by their current use.
   */
  #removeLeastUseful(count: number): void {
    const { flows } = this;
    if (flows.count <= MANY || count === 1) {
      for (let time = 0; time < count; time++) {
        flows.remove(this.#leastUseful());
        flows.run();
      }
      return;
    }
    const uses = Float64Array.from({ length: flows.count }, (_, path) => this.#use(path));
    const order = Uint32Array.from(uses.keys()).sort((a, b) => uses[a]! - uses[b]!);
    flows.removeAll(new Set(order.subarray(0, count)));
    flows.run();
  }

  #leastUseful(): number {
    const { flows } = this;
    let least = 0;
    let leastUse = this.#use(0);
    for (let path = 1; path < flows.count; path++) {
      const use = this.#use(path);
      if (use >= leastUse) continue;
      leastUse = use;
      least = path;
    }
    return least;
  }

  /** The loss without a path, minus its gas. */
  #use(path: number): number {
    const loss = this.#loss(path);
    return this.gasPrice > 0 ? loss - this.gasWorth * this.#losses.gas(path) : loss;
  }

  #loss(path: number): number {
    return this.#losses.loss(path, this.settler.rate);
  }

  /** The cost of a unit of gas, in units of the output. */
  get gasWorth(): number {
    return this.gasPrice * (this.target.kind === "exactIn" ? 1 : this.settler.rate);
  }

  settle(): void {
    // Finds anew where pools are full.
    this.flows.bound.fill(Number.POSITIVE_INFINITY, 0, this.flows.count);
    this.settler.settle(this.target, this.precision);
  }
}

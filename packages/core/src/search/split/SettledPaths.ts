import type { PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import type { QuoteRequest } from "../quote.ts";
import type { CandidateEdges } from "./CandidateEdges.ts";
import { FlowSettler, type FlowTarget, type Precision } from "./FlowSettler.ts";
import type { PathFlows } from "./PathFlows.ts";
import { PathLosses } from "./PathLosses.ts";
import { PathsCopy } from "./PathsCopy.ts";

/** More of the target than this part is never left for the largest path to take. */
const REST_MAX = 1 / 4;
/** So few paths, and fewer, are each tried to be left out before one of them goes. */
const WEIGHED_MAX = 6;
/** A solution that misses the target by more than this part is none. */
const UNFILLED_MAX = 1e-3;
/** From so many paths on they are taken out many at once. */
const MANY = 128;
/** Of many paths that do not earn their gas this part goes at once. */
const THINNED = 1 / 4;
/** Amounts that miss the target by more than this part are not what was asked for. */
const MISSED_MAX = 1e-6;

/**
 * The paths of a solution for one target, settled, and which of them it does best without: those
 * that the others lose least by, less the gas that they cost.
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

  /** Whether the paths together can take, or give, what is asked; the largest takes the rest. */
  get meetsTarget(): boolean {
    const { kind, amount } = this.target;
    const reached = kind === "exactIn" ? this.flows.totalIn : this.flows.totalOut;
    return Math.abs(reached - amount) <= REST_MAX * amount;
  }

  /** Takes paths out that use the most gas for what they bring: one, or a part of many. */
  thin({ gasPrice = 0 }: QuoteRequest): void {
    this.gasPrice = gasPrice;
    const { flows } = this;
    let idle = 0;
    for (let path = 0; path < flows.count; path++) if (this.#use(path) <= 0) idle++;
    this.#removeLeastUseful(Math.max(1, Math.ceil(idle * THINNED)));
    this.settle();
  }

  /** What is left of the output, or of minus the input, after gas; about. */
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

  /** Takes paths out, those that lose least for their gas first, until all need at most `limit`. */
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

  /** Gives a path that was found not to fill its amount at most a part of it; 0 drops the path. */
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

  /** Takes paths out, many at a time first, as long as no more than so much is lost. */
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

  /** How many paths lose no more together than so much, by what each of them would. */
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
   * Removes the path without which the others, settled anew, give the most. What a path loses by
   * itself (`#use`) does not count what others gain from the pools that it leaves to them.
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

  /** What all paths together give beyond what goes in at a rate, less their gas. */
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
   * A path that brings less than its gas and its roundings cost, a unit at the end, goes; without a
   * price of gas roundings stand for it.
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
        // The others hardly feel it, and are settled anyway.
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
   * Takes an idle path out where the others, settled anew, do without it: few may not carry at the
   * common rate what it carried. Answers whether there is one.
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

  /** Settles all paths of a copy but one, from the rate at which they were settled. */
  #settleWithout(path: number, all: PathsCopy, rate: number): void {
    all.restoreTo(this.flows);
    this.flows.remove(path);
    this.settler.rate = rate;
    this.settle();
  }

  /**
   * Takes some paths out. Of few one after the other, as what one leaves makes others more useful;
   * of many all at once, by what they are of use together.
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

  /** What would be lost without a path, less its gas. */
  #use(path: number): number {
    const loss = this.#loss(path);
    return this.gasPrice > 0 ? loss - this.gasWorth * this.#losses.gas(path) : loss;
  }

  #loss(path: number): number {
    return this.#losses.loss(path, this.settler.rate);
  }

  /** What a unit of gas costs, in units of the output. */
  get gasWorth(): number {
    return this.gasPrice * (this.target.kind === "exactIn" ? 1 : this.settler.rate);
  }

  settle(): void {
    // Where pools are full is found anew.
    this.flows.bound.fill(Number.POSITIVE_INFINITY, 0, this.flows.count);
    this.settler.settle(this.target, this.precision);
  }
}

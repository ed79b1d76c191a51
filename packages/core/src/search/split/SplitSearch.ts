import type { Curve, PoolFamily } from "../../Curve.ts";
import type { PoolGraph } from "../../graph/PoolGraph.ts";
import type { PoolMask } from "../PoolMask.ts";
import type { Quote, QuoteRequest } from "../quote.ts";
import { CandidateEdges } from "./CandidateEdges.ts";
import { CandidatePaths } from "./CandidatePaths.ts";
import { FlowSettler, type FlowTarget, type Precision } from "./FlowSettler.ts";
import { PathFlows } from "./PathFlows.ts";
import { PathLosses } from "./PathLosses.ts";
import { PathsCopy } from "./PathsCopy.ts";

/** So many more paths than asked for are tried before the least useful go. */
const TRIED = 1.5;
/** The part of the room that is filled at once; and fewer than this part are not worth a round. */
const CHUNK = 1 / 2;
const CHUNK_MIN = 1 / 8;
/** An edge that could add less than this part of the output is not looked at. */
const GAIN_MIN = 1e-7;
/** Trial amounts shrink when the paths of one size are exhausted. */
const SHRINK = 8;
const SHRINKS_MAX = 5;
/** A round that changes the output by less than this part has exhausted its trial amount. */
const IMPROVEMENT_MIN = 1e-7;
/** Paths of their own amount: with more of them the trial amount stays. */
const TRIAL_PATHS_MAX = 256;

/** More of the target than this part is never left for the largest path to take. */
const REST_MAX = 1 / 4;

/** So few paths, and fewer, are each tried to be left out before one of them goes. */
const WEIGHED_MAX = 6;
/** A solution that misses the target by more than this part is none. */
const UNFILLED_MAX = 1e-3;

/** Of many paths that do not earn their gas this part goes at once. */
const THINNED = 1 / 4;
/** Amounts that miss the target by more than this part are not what was asked for. */
const MISSED_MAX = 1e-6;

/** Enough for a choice of some paths, and for as many as there are. */
const USUAL: Precision = { rounds: 12, tolerance: 2e-4 };
const UNLIMITED: Precision = { rounds: 60, tolerance: 2e-5 };
const ROUNDS_MAX = 120;
/** Once the paths are chosen their amounts are settled well below what could cost a unit. */
const FINAL: Precision = { rounds: 40, tolerance: 1e-7 };

/**
 * Chooses paths and their amounts, as floats. Paths are added by what they promise to gain at the
 * common rate of those there are, amounts are settled, and so on (column generation); then the
 * paths that cost the least to lose go, until as many are left as were asked for. With a price of
 * gas that begins with the best single path, promises and losses are less the gas, and all go that
 * do not earn theirs.
 */
export class SplitSearch {
  readonly #graph: PoolGraph;
  readonly edges: CandidateEdges;
  readonly flows: PathFlows;
  readonly #losses: PathLosses;
  readonly #settler: FlowSettler;
  readonly #candidates: CandidatePaths;
  #target: FlowTarget = { kind: "exactIn", amount: 0 };
  #precision: Precision = USUAL;
  #gasPrice = 0;

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    mask: PoolMask,
  ) {
    this.#graph = graph;
    this.edges = new CandidateEdges(graph, mask);
    this.flows = new PathFlows(graph, curves, families, this.edges);
    this.#losses = new PathLosses(graph, families, this.edges, this.flows);
    this.#settler = new FlowSettler(this.flows);
    this.#candidates = new CandidatePaths(graph, curves, families, this.edges, this.flows);
  }

  /**
   * Leaves the paths of a request in `flows`; none when there are none. `path` is its best single
   * path, if there is one, and `floorRate` what the last unit of that gave.
   */
  find(request: QuoteRequest, path: Quote | undefined, floorRate: number): void {
    const { kind, amount, maxHops, maxSplits = 1, tokenIn, tokenOut } = request;
    this.#gasPrice = request.gasPrice ?? 0;
    this.#target = { kind, amount: Number(amount) };
    this.#precision = maxSplits === Number.POSITIVE_INFINITY ? UNLIMITED : USUAL;
    const floorGain = path === undefined ? 0 : Number(path.amountOut) * GAIN_MIN;
    this.edges.collect({ origin: tokenIn, goal: tokenOut, maxHops, floorRate, floorGain });
    this.flows.clear();
    this.#settler.rate = floorRate;
    this.#candidates.begin(maxHops);
    const amountIn = this.#expectedIn(path);
    if (amountIn === 0) return;
    if (this.#gasPrice > 0 && path !== undefined) this.#addKnown(path);
    this.#addPaths(maxSplits, amountIn);
    this.#removeExcess(maxSplits);
    this.#removeIdle();
    this.#precision = FINAL;
    this.#settle();
  }

  /** Whether the paths together can take, or give, what is asked; the largest takes the rest. */
  get meetsTarget(): boolean {
    const { kind, amount } = this.#target;
    const reached = kind === "exactIn" ? this.flows.totalIn : this.flows.totalOut;
    return Math.abs(reached - amount) <= REST_MAX * amount;
  }

  /** Takes paths out that use the most gas for what they bring: one, or a part of many. */
  thin({ gasPrice = 0 }: QuoteRequest): void {
    this.#gasPrice = gasPrice;
    const { flows } = this;
    let idle = 0;
    for (let path = 0; path < flows.count; path++) if (this.#use(path) <= 0) idle++;
    for (let time = 0; time < Math.max(1, idle * THINNED); time++) {
      flows.remove(this.#leastUseful());
      flows.run();
    }
    this.#settle();
  }

  /** What is left of the output, or of minus the input, after gas; about. */
  leftAfterGas({ gasPrice = 0, kind }: QuoteRequest): number {
    const { flows } = this;
    const { amount } = this.#target;
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
    const removed: number[] = [];
    for (const path of order) {
      if (left <= limit) break;
      left -= gas[path]!;
      removed.push(path);
    }
    removed.sort((a, b) => b - a);
    for (const path of removed) this.flows.remove(path);
    this.#settle();
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
    this.#settler.settle(this.#target, this.#precision);
  }

  /** About what goes in, as far as it is known beforehand. */
  #expectedIn(path: Quote | undefined): number {
    if (this.#target.kind === "exactIn") return this.#target.amount;
    if (path !== undefined) return Number(path.amountIn);
    const rate = this.#candidates.bestRate();
    return rate > 0 ? this.#target.amount / rate : 0;
  }

  /** Begins with a path, where the search could find it too. */
  #addKnown({ steps, amountIn }: Quote): void {
    const path = steps.map(({ pool, tokenIn, tokenOut }) =>
      this.edges.find(
        pool,
        this.#graph.poolPosition(pool, tokenIn),
        this.#graph.poolPosition(pool, tokenOut),
      ),
    );
    if (path.includes(undefined)) return;
    this.flows.add(Uint32Array.from(path as number[]));
    this.flows.amountIn[0] = Number(amountIn);
    this.#settle();
  }

  #addPaths(maxSplits: number, amountIn: number): void {
    const { flows } = this;
    const most = Math.ceil(maxSplits * TRIED);
    const roundsMax = Math.min(maxSplits + SHRINKS_MAX, ROUNDS_MAX);
    let trial = amountIn / Math.min(maxSplits, TRIAL_PATHS_MAX);
    let shrinks = 0;
    let merit = 0;
    for (let round = 0; round < roundsMax && shrinks <= SHRINKS_MAX; round++) {
      const room = most - flows.count;
      if (round > 0 && room < maxSplits * CHUNK_MIN) return;
      const count = Math.min(room, Math.ceil(room * CHUNK));
      const added = this.#candidates.add(count, {
        amount: trial,
        commonRate: this.#settler.rate,
        gasWorth: this.#gasWorth,
        most: amountIn,
      });
      if (added > 0) {
        this.#settle();
        flows.removeEmpty();
      }
      const before = merit;
      merit = flows.totalOut - this.#settler.rate * flows.totalIn;
      if (added > 0 && Math.abs(merit - before) > flows.totalOut * IMPROVEMENT_MIN) continue;
      shrinks++;
      trial /= SHRINK;
    }
  }

  #removeExcess(maxSplits: number): void {
    const { flows } = this;
    const few = Math.max(maxSplits, WEIGHED_MAX);
    while (flows.count > few) {
      const excess = flows.count - few;
      const count = Math.min(excess, Math.max(excess >> 1, Math.ceil(maxSplits / 16)));
      for (let time = 0; time < count; time++) {
        flows.remove(this.#leastUseful());
        flows.run();
      }
      this.#settle();
    }
    while (flows.count > maxSplits) this.#removeLeastMissed();
  }

  /**
   * Removes the path without which the others, settled anew, give the most. What a path loses by
   * itself (`#use`) does not count what others gain from the pools that it leaves to them.
   */
  #removeLeastMissed(): void {
    const { flows } = this;
    const { rate } = this.#settler;
    const all = new PathsCopy(flows);
    let least = this.#leastUseful();
    let most = Number.NEGATIVE_INFINITY;
    const settleWithout = (path: number) => {
      all.restoreTo(flows);
      flows.remove(path);
      this.#settler.rate = rate;
      this.#settle();
    };
    for (let path = 0; path < all.count; path++) {
      settleWithout(path);
      const worth = this.#worth(rate);
      if (worth <= most) continue;
      most = worth;
      least = path;
    }
    settleWithout(least);
  }

  /** What all paths together give beyond what goes in at a rate, less their gas. */
  #worth(rate: number): number {
    const { flows } = this;
    const { kind, amount } = this.#target;
    const reached = kind === "exactIn" ? flows.totalIn : flows.totalOut;
    if (!(Math.abs(reached - amount) <= UNFILLED_MAX * amount)) return Number.NEGATIVE_INFINITY;
    let gas = 0;
    if (this.#gasPrice > 0) {
      for (let path = 0; path < flows.count; path++) gas += this.#losses.gas(path);
    }
    const gasWorth = this.#gasPrice * (kind === "exactIn" ? 1 : rate);
    return flows.totalOut - rate * flows.totalIn - gasWorth * gas;
  }

  /**
   * A path that brings less than its gas and its roundings cost, a unit at the end, goes; without a
   * price of gas roundings stand for it.
   */
  #removeIdle(): void {
    const { flows } = this;
    while (flows.count > 1) {
      const path = this.#leastUseful();
      if (this.#use(path) > 1) return;
      flows.remove(path);
      this.#settle();
    }
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
    return this.#gasPrice > 0 ? loss - this.#gasWorth * this.#losses.gas(path) : loss;
  }

  #loss(path: number): number {
    return this.#losses.loss(path, this.#settler.rate);
  }

  /** What a unit of gas costs, in units of the output. */
  get #gasWorth(): number {
    return this.#gasPrice * (this.#target.kind === "exactIn" ? 1 : this.#settler.rate);
  }

  #settle(): void {
    this.flows.releaseBounds();
    this.#settler.settle(this.#target, this.#precision);
  }
}

import type { Curve, PoolFamily } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import type { Reached } from "../certificate/Certifier.ts";
import type { EdgeUse } from "../certificate/EdgeCurves.ts";
import type { GapGoal } from "../certificate/GapGoal.ts";
import type { PoolMask } from "../PoolMask.ts";
import type { Quote, QuoteRequest } from "../quote.ts";
import { CandidateEdges } from "./CandidateEdges.ts";
import { CandidatePaths } from "./CandidatePaths.ts";
import { FlowPaths } from "./FlowPaths.ts";
import type { Precision } from "./FlowSettler.ts";
import { LayeredFlow } from "./LayeredFlow.ts";
import { LayerSweeps } from "./LayerSweeps.ts";
import { Layers } from "./Layers.ts";
import { PathFlows } from "./PathFlows.ts";
import { PathsCopy } from "./PathsCopy.ts";
import { pathCounts } from "./pathCounts.ts";
import { repeatedPaths } from "./repeatedPaths.ts";
import { SettledPaths } from "./SettledPaths.ts";

/** No path counts as deeper than so many times the input. */
const DEPTH_MOST = 2 ** 20;
/** The factor by which more paths than requested are tried before the least useful go. */
const TRIED = 1.5;
/** The part of the room that is filled at once; less than the second part is not worth a round. */
const CHUNK = 1 / 2;
const CHUNK_MIN = 1 / 8;
/** Edges at the rate of the last unit count too: those of the best path, where it is flat. */
const BELOW_LAST_UNIT = 1 - 2 ** -30;
/** Trial amounts shrink when the paths of one size are exhausted. */
const SHRINK = 8;
const SHRINKS_MAX = 5;
/**
 * A round has exhausted its trial amount if it adds less than this part of what it may, or changes
 * the output by less than the next.
 */
const ADDED_MIN = 1 / 12;
const IMPROVEMENT_MIN = 1e-5;
/** The trial amount is the input divided by at most so many paths. */
const TRIAL_PATHS_MAX = 256;

/** Paths that had to go are replaced where more than this part of the output was lost with them. */
const REPLACED_MIN = 2e-5;

/** This part of the possible loss goes to removed paths; the rest is for rounding. */
const SPARED = 0.9;

/** Where so many are useful, a search for any number finds them as one flow, if that is better. */
const FLOW_PATHS_MIN = 64;
/** A flow that changes by less is settled; where it is to be proven close, by far less. */
const CHANGE_SETTLED = 5e-7;
const CHANGE_PROVEN = 2e-8;
/** A flow that does not settle, but changes by at most this, lacks next to nothing. */
const CHANGE_LEFT = 1e-4;

/** Enough to choose among some paths, and among any number. */
const USUAL: Precision = { rounds: 12, tolerance: 2e-4 };
const UNLIMITED: Precision = { rounds: 12, tolerance: 1e-4 };
const ROUNDS_MAX = 120;
/** The amounts of chosen paths are settled well below what could cost a unit. */
const FINAL: Precision = { rounds: 40, tolerance: 1e-7 };
/** More paths than this have little to gain by further rounds, which take the longer. */
const MANY = 128;
const FINAL_OF_MANY: Precision = { rounds: 8, tolerance: 1e-7 };

/**
 * Chooses paths and their amounts, in floats. It adds paths by their promised gain at the common
 * rate of the current ones, settles the amounts, and so on (column generation). Then it removes the
 * paths that cost the least to lose, until the requested number is left. Where any number may be
 * used and many are useful, it finds the best flow as a whole (`LayeredFlow`) and splits it into
 * paths. With a gas price, it begins with the best single path, promises and losses are net of gas,
 * and all paths go that do not earn theirs.
 */
export class SplitSearch {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly edges: CandidateEdges;
  readonly flows: PathFlows;
  readonly paths: SettledPaths;
  readonly #candidates: CandidatePaths;
  readonly #layered: LayeredFlow;
  #maxHops = 0;
  /** Whether a bound has to show how close the solution is; see `QuoteRequest.gapBps`. */
  #isToBeProven = false;
  /** The last solution before paths were removed for a goal; undefined where none were. */
  #unspared: PathsCopy | undefined;

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    mask: PoolMask,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.edges = new CandidateEdges(graph, mask);
    this.flows = new PathFlows(graph, curves, families, this.edges);
    this.paths = new SettledPaths(graph, families, this.edges, this.flows);
    const layers = new Layers(this.edges);
    this.#layered = new LayeredFlow(new LayerSweeps(graph, families, layers));
    const flowPaths = new FlowPaths(layers, this.#layered);
    this.#candidates = new CandidatePaths(
      graph,
      curves,
      families,
      this.edges,
      this.flows,
      flowPaths,
    );
  }

  /**
   * Leaves the paths of a request in `flows`, none where there are none. `path` is the best single
   * path, if there is one, and `floorRate` the output of its last unit. With a goal: few paths that
   * meet it; where none do, as many as the request allows. Returns whether paths were removed for a
   * goal.
   */
  find(request: QuoteRequest, path: Quote | undefined, floorRate: number, goal?: GapGoal): boolean {
    const { kind, amount, maxHops, maxSplits = 1, tokenIn, tokenOut } = request;
    this.paths.gasPrice = request.gasPrice ?? 0;
    this.paths.target = { kind, amount: Number(amount) };
    this.paths.precision = precisionFor(maxSplits);
    this.edges.collect({
      ...{ origin: tokenIn, goal: tokenOut, maxHops },
      floorRate: floorRate * BELOW_LAST_UNIT,
      output: path === undefined ? 0 : Number(path.amountOut),
    });
    this.flows.clear();
    this.#unspared = undefined;
    this.paths.settler.rate = floorRate;
    this.#maxHops = maxHops;
    this.#isToBeProven = request.gapBps !== undefined;
    this.#candidates.begin(maxHops);
    const amountIn = this.#expectedIn(path);
    if (amountIn === 0) return false;
    this.flows.depthMost = amountIn * DEPTH_MOST;
    let hasSpared = false;
    if (this.paths.gasPrice > 0 && path !== undefined) this.#addKnown(path);
    if (goal === undefined) {
      this.#findUpTo(maxSplits, amountIn);
    } else {
      hasSpared = this.#findFewest(goal, maxSplits, amountIn, floorRate);
    }
    this.#finish();
    return hasSpared;
  }

  /** Puts back the paths that the last `find` removed for a goal; false where it removed none. */
  putBackSpared(): boolean {
    if (this.#unspared === undefined) return false;
    this.#unspared.restoreTo(this.flows);
    this.paths.settle();
    this.#finish();
    return true;
  }

  #finish(): void {
    this.paths.removeIdle();
    this.paths.precision = this.flows.count > MANY ? FINAL_OF_MANY : FINAL;
    this.paths.settle();
  }

  /** About the input, as far as it is known beforehand. */
  #expectedIn(path: Quote | undefined): number {
    if (this.paths.target.kind === "exactIn") return this.paths.target.amount;
    if (path !== undefined) return Number(path.amountIn);
    const rate = this.#candidates.bestRate();
    return rate > 0 ? this.paths.target.amount / rate : 0;
  }

  /** Begins with a path, if all of its edges were collected. */
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
    this.paths.settle();
  }

  /** Searches for ever more paths until they meet a goal, then removes those that it can spare. */
  #findFewest(goal: GapGoal, maxSplits: number, amountIn: number, floorRate: number): boolean {
    const isAny = maxSplits === Number.POSITIVE_INFINITY;
    for (const count of pathCounts(maxSplits)) {
      // An unlimited search begins with as many.
      if (isAny && count === FLOW_PATHS_MIN) continue;
      this.flows.clear();
      this.paths.settler.rate = floorRate;
      this.paths.precision = precisionFor(count);
      this.#findUpTo(count, amountIn);
      // Prices give close bounds where all paths end at one rate.
      this.paths.precision = FINAL;
      this.paths.settle();
      const room = this.paths.meetsTarget ? goal.room(this.#reached()) : Number.NEGATIVE_INFINITY;
      if (room < 0) continue;
      this.#unspared = new PathsCopy(this.flows);
      this.paths.precision = USUAL;
      this.paths.removeSpare(SPARED * room);
      return true;
    }
    return false;
  }

  /** The current solution, with the inputs of all edges. */
  #reached(): Reached {
    const { edges, flows } = this;
    const isIn = this.paths.target.kind === "exactIn";
    const uses: EdgeUse[] = [];
    for (let edge = 0; edge < edges.count; edge++) {
      if (!(flows.edgeIn[edge]! > 0)) continue;
      uses.push({
        pool: edges.pool[edge]! as PoolIndex,
        positionIn: edges.positionIn[edge]!,
        positionOut: edges.positionOut[edge]!,
        amountIn: flows.edgeIn[edge]!,
      });
    }
    return {
      sought: isIn ? flows.totalOut : flows.totalIn,
      net: isIn ? flows.totalOut : -flows.totalIn,
      uses,
    };
  }

  /**
   * Finds up to so many paths. At first as if a route could swap any number of times through each
   * pool: which paths get the pools that allow one swap is best seen then.
   */
  #findUpTo(maxSplits: number, amountIn: number): void {
    const { flows, paths } = this;
    this.#candidates.allowsRepeats = true;
    this.#findPaths(maxSplits, amountIn);
    paths.removeExcess(maxSplits);
    const repeated = repeatedPaths(this.#graph, this.#families, this.edges, flows);
    if (repeated.size === 0) return;
    const { rate } = paths.settler;
    const merit = flows.totalOut - rate * flows.totalIn;
    flows.removeAll(repeated);
    paths.settle();
    const lost = merit - (flows.totalOut - rate * flows.totalIn);
    if (lost <= flows.totalOut * REPLACED_MIN) return;
    this.#candidates.allowsRepeats = false;
    this.#addPaths(maxSplits, amountIn);
    paths.removeExcess(maxSplits);
  }

  /** Finds up to so many paths, and some more. */
  #findPaths(maxSplits: number, amountIn: number): void {
    if (maxSplits === Number.POSITIVE_INFINITY && this.paths.gasPrice === 0) {
      this.#addPaths(FLOW_PATHS_MIN, amountIn);
      if (this.flows.count >= FLOW_PATHS_MIN && this.#takeFlow(amountIn)) return;
    }
    this.#addPaths(maxSplits, amountIn);
  }

  /**
   * Replaces the current paths with those of the best flow, if these do better. Returns whether
   * there is nothing more to find.
   */
  #takeFlow(amountIn: number): boolean {
    const { flows, paths } = this;
    const known = new PathsCopy(flows);
    const { totalIn, totalOut } = flows;
    const changeMin = this.#isToBeProven ? CHANGE_PROVEN : CHANGE_SETTLED;
    const changed = this.#layered.solve(this.#maxHops, paths.target, amountIn, changeMin);
    flows.removeEvery();
    this.#candidates.addFlow(this.#layered.totalIn);
    paths.settle();
    flows.removeEmpty();
    const isIn = paths.target.kind === "exactIn";
    const isBetter = isIn ? flows.totalOut >= totalOut : flows.totalIn <= totalIn;
    if (paths.meetsTarget && isBetter)
      return changed <= (this.#isToBeProven ? changeMin : CHANGE_LEFT);
    known.restoreTo(flows);
    paths.settle();
    return false;
  }

  /** Column generation, on top of the current paths. */
  #addPaths(maxSplits: number, amountIn: number): void {
    const { flows } = this;
    const most = Math.ceil(maxSplits * TRIED);
    const roundsMax = Math.min(maxSplits + SHRINKS_MAX, ROUNDS_MAX);
    const isAny = maxSplits === Number.POSITIVE_INFINITY;
    let trial = amountIn / Math.min(maxSplits, TRIAL_PATHS_MAX);
    let shrinks = 0;
    let merit = 0;
    for (let round = 0; round < roundsMax && shrinks <= SHRINKS_MAX; round++) {
      const room = most - flows.count;
      if (round > 0 && room < maxSplits * CHUNK_MIN) return;
      const count = Math.min(room, Math.ceil(room * CHUNK));
      const added = this.#candidates.add(count, {
        amount: trial,
        commonRate: this.paths.settler.rate,
        gasWorth: this.paths.gasWorth,
        most: amountIn,
      });
      if (added > 0) {
        this.paths.settle();
        flows.removeEmpty();
      }
      const before = merit;
      merit = flows.totalOut - this.paths.settler.rate * flows.totalIn;
      const isFruitful = added >= Math.max(1, isAny ? 0 : count * ADDED_MIN);
      if (isFruitful && Math.abs(merit - before) > flows.totalOut * IMPROVEMENT_MIN) continue;
      shrinks++;
      trial /= SHRINK;
    }
  }
}

function precisionFor(maxSplits: number): Precision {
  return maxSplits === Number.POSITIVE_INFINITY ? UNLIMITED : USUAL;
}

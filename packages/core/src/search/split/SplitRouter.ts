import type { Curve, PoolFamily } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import type { GapGoal } from "../certificate/GapGoal.ts";
import { netOf } from "../netOf.ts";
import { PoolMask } from "../PoolMask.ts";
import type { Quote, QuoteRequest, QuoteResult } from "../quote.ts";
import { ExactPaths, type ExactRoute } from "./ExactPaths.ts";
import { lastUnitRate } from "./lastUnitRate.ts";
import { priceImpactOf } from "./priceImpactOf.ts";
import { SplitSearch } from "./SplitSearch.ts";

/**
 * How often a float solution is repaired that the contracts would not fill, or not within the gas.
 */
const ATTEMPTS_MAX = 24;
/** Parts of its amount that a path gets after repeated refusals; then it goes. */
const RESTRICTIONS = [1 - 2 ** -12, 1 - 2 ** -5, 0];
/** Where the gas limit costs more than this part, fewer paths are sought, at most so often. */
const LIMIT_LOSS_MIN = 3e-4;
const FEWER_MAX = 6;
/** So many paths in a row are removed although the result after gas gets no better. */
const FUTILE_MAX = 3;
/** A refused path with at least this part of the input has kept others from being found. */
const HIDING_MIN = 1e-4;
/** So have the roundings of a solution that cost more than this part of what floats gave. */
const LOST_MIN = 1e-3;
/** Where they cost more than this part, fewer paths may give more. */
const SHARED_LOSS_MIN = 2e-4;
/** Of the paths, this part is kept each time. */
const KEPT = 3 / 4;
/** At most so many pools in a row are excluded for hiding others. */
const HIDING_POOLS_MAX = 3;
/** Where a pool refuses such a path, a search for more paths may end up worse than one for 64. */
const AMPLE = 64;
/** Where all gas costs less than this part, other paths can hardly save that much. */
const GAS_SHARE_MIN = 1e-5;
/** Where it costs more than this part, so few paths are sought as well. */
const GAS_SHARE_GREAT = 1e-3;
const FEW = [2, 4];

/** What integers met in the last solution. */
interface Met {
  /** The amount sought before paths were thinned out to meet the gas limit, if they were. */
  beyondLimit?: number;
  /** The pool that refused a path with a good part of the input, or whose few units cost much. */
  hidingPool?: PoolIndex | undefined;
  /** The part by which they gave less than floats, or took more. */
  lost: number;
  /** The number of paths left. */
  paths: number;
}

/**
 * Splits an amount over several paths. Floats choose paths and amounts (`SplitSearch`), integers
 * decide (`ExactPaths`): the answer is what the contracts give, and never worse than one path.
 */
export class SplitRouter {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #mask: PoolMask;
  readonly #search: SplitSearch;
  readonly #exact: ExactPaths;
  readonly #gasLimit: number;
  #met: Met = { lost: 0, paths: 0 };

  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    gasLimit: number,
  ) {
    this.#graph = graph;
    this.#families = families;
    this.#mask = new PoolMask(graph);
    this.#search = new SplitSearch(graph, curves, families, this.#mask);
    this.#exact = new ExactPaths(graph, curves, families, this.#search.edges);
    this.#gasLimit = gasLimit;
  }

  /**
   * The better of a request's best single path, if it has one, and the best split found. With a
   * goal: a split of few paths that meets it.
   */
  improve(request: QuoteRequest, path: QuoteResult, goal?: GapGoal): QuoteResult {
    this.#mask.set(request.filter);
    try {
      const hasSpared = this.#find(request, path, goal);
      const found = this.#merged(request, this.#better(request, path));
      const fewer = this.#withFewer(request, request, path, found);
      const quote = this.#withoutHiding(request, request, path, fewer);
      // A quote may prove to be closer than the search.
      if (goal === undefined || !quote.found || goal.isMetBy(quote) || !hasSpared) return quote;
      // Integers give less than the floats by which paths were removed.
      if (!this.#search.putBackSpared()) this.#find(request, path);
      return this.#better(request, quote);
    } finally {
      this.#mask.clear(request.filter);
    }
  }

  /**
   * As `improve`, for a request with a gas price. Splits that pay for several paths are no proven
   * optimum, so the search starts from both ends: from the best path without that price,
   * `unpriced`, and thins out the result; and from the best path with it, and adds paths that earn
   * their gas.
   */
  improveNet(request: QuoteRequest, path: QuoteResult, unpriced: QuoteResult): QuoteResult {
    this.#mask.set(request.filter);
    try {
      const free = { ...request, gasPrice: 0 };
      this.#find(free, unpriced);
      let thinned = this.#thinned(request, this.#better(request, path));
      // All that `improve` finds is looked at here, so its answer never leaves more.
      thinned = this.#withFewer(request, free, unpriced, thinned);
      thinned = this.#withoutHiding(request, free, unpriced, thinned);
      if (thinned.found && gasShare(request, thinned) < GAS_SHARE_MIN) return thinned;
      this.#unblock(request);
      this.#find(request, path);
      const best = this.#withoutHiding(request, request, path, this.#better(request, thinned));
      return this.#withFew(request, path, best);
    } finally {
      this.#mask.clear(request.filter);
    }
  }

  /**
   * The better of an answer and, where gas is a good part of it, results with few paths. A search
   * for more may begin with paths that pay for their gas together, and keep poor ones of them.
   */
  #withFew(request: QuoteRequest, path: QuoteResult, answer: QuoteResult): QuoteResult {
    if (!answer.found || gasShare(request, answer) < GAS_SHARE_GREAT) return answer;
    this.#unblock(request);
    let best: QuoteResult = answer;
    for (const maxSplits of FEW) {
      if (maxSplits >= request.maxSplits!) break;
      this.#find({ ...request, maxSplits }, path);
      best = this.#better(request, best);
    }
    return best;
  }

  /**
   * The better of an answer and, where the gas limit has cost much of it, a result with fewer
   * paths, found as for the request `sought`.
   */
  #withFewer(
    request: QuoteRequest,
    sought: QuoteRequest,
    path: QuoteResult,
    answer: QuoteResult,
  ): QuoteResult {
    let best = answer;
    let count = request.maxSplits!;
    for (let tries = 0; tries < FEWER_MAX && this.#hasLostByLimit(request, best); tries++) {
      count = fewerThan(count, this.#met.paths);
      if (count < 2) break;
      this.#find({ ...sought, maxSplits: count }, path);
      best = this.#better(request, best);
    }
    return best;
  }

  #hasLostByLimit({ kind }: QuoteRequest, answer: QuoteResult): boolean {
    const { beyondLimit } = this.#met;
    if (beyondLimit === undefined || !answer.found) return beyondLimit !== undefined;
    const part =
      kind === "exactIn"
        ? Number(answer.amountOut) / beyondLimit
        : beyondLimit / Number(answer.amountIn);
    return part < 1 - LIMIT_LOSS_MIN;
  }

  /**
   * The better of an answer and a result without the pools that refused or rounded much of it,
   * found as for the request `sought`. Where only a few units of a token pass, rounding to integers
   * loses most of the float output: such a path looks good, and hides those that it seems to beat.
   */
  #withoutHiding(
    request: QuoteRequest,
    sought: QuoteRequest,
    path: QuoteResult,
    answer: QuoteResult,
  ): QuoteResult {
    if (this.#met.hidingPool === undefined) return answer;
    const found = (best: QuoteResult) => {
      const better = this.#better(request, best);
      return sought.gasPrice === request.gasPrice ? better : this.#thinned(request, better);
    };
    let best = answer;
    for (let count = 0; count < HIDING_POOLS_MAX && this.#met.hidingPool !== undefined; count++) {
      this.#mask.block(this.#met.hidingPool);
      this.#find(sought, path);
      best = found(best);
    }
    if (sought.maxSplits! <= AMPLE) return best;
    // A pool that refused a part of very many paths may serve fewer.
    this.#unblock(request);
    const ample = { ...sought, maxSplits: AMPLE };
    this.#find(ample, path);
    return this.#withoutHiding(request, ample, path, found(best));
  }

  /** Allows all pools of a request again. */
  #unblock({ filter }: QuoteRequest): void {
    this.#mask.clear(filter);
    this.#mask.set(filter);
  }

  #find(request: QuoteRequest, path: QuoteResult, goal?: GapGoal): boolean {
    const search = this.#search;
    const floorRate = path.found ? lastUnitRate(this.#graph, this.#families, path) : 0;
    const known = path.found ? path : undefined;
    search.flows.inputFit.isClose = true;
    const hasSpared = search.find(request, known, floorRate, goal);
    if (search.paths.meetsTarget) return hasSpared;
    // Paths that fill a pool may leave no room for others that take more for it.
    search.flows.inputFit.isClose = false;
    search.find(request, known, floorRate, goal);
    return false;
  }

  /** The better of an answer and the contracts' result for the solution. */
  #better(request: QuoteRequest, best: QuoteResult): QuoteResult {
    const route = this.#exactRoute(request);
    return route !== undefined && isBetter(request, route, best)
      ? this.#quote(request, route)
      : best;
  }

  /**
   * The best of an answer and the solution with ever fewer paths. What integers met in the whole
   * solution stays noted.
   */
  #thinned(request: QuoteRequest, answer: QuoteResult): QuoteResult {
    const [search, met] = [this.#search, this.#met];
    let best = answer;
    let most = search.paths.leftAfterGas(request);
    for (let futile = 0; futile < FUTILE_MAX && search.flows.count > 1; futile++) {
      search.paths.thin(request);
      const left = search.paths.leftAfterGas(request);
      if (!(left > most)) continue;
      most = left;
      futile = -1;
      best = this.#better(request, best);
    }
    this.#met = met;
    return best;
  }

  /**
   * The best of an answer and the solution with ever fewer paths, where integers gave less than
   * floats. A pool that keeps the fee of each swap makes every next path through it dearer, which
   * floats do not see.
   */
  #merged(request: QuoteRequest, answer: QuoteResult): QuoteResult {
    const [search, met] = [this.#search, this.#met];
    if (!(met.lost > SHARED_LOSS_MIN) || met.paths > AMPLE) return answer;
    let best = answer;
    for (let futile = 0; futile < FUTILE_MAX && search.flows.count > 2; futile++) {
      search.paths.removeExcess(Math.floor(search.flows.count * KEPT));
      const better = this.#better(request, best);
      if (better !== best) futile = -1;
      best = better;
    }
    this.#met = met;
    return best;
  }

  /** The solution in integers, repaired until the contracts fill it within the gas limit. */
  #exactRoute(request: QuoteRequest): ExactRoute | undefined {
    const search = this.#search;
    let refusals = 0;
    let refusedBefore = -1;
    const met: Met = { lost: 0, paths: 0 };
    this.#met = met;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && search.paths.meetsTarget; attempt++) {
      const route = this.#exact.run(request, search.flows);
      if (route.refused) {
        refusals = route.path === refusedBefore ? refusals + 1 : 0;
        const part = route.isDust ? 0 : RESTRICTIONS[refusals]!;
        refusedBefore = part === 0 ? -1 : route.path;
        if (part === 0 && this.#shareOf(route.path) >= HIDING_MIN) met.hidingPool = route.pool;
        search.paths.restrict(route.path, part);
        continue;
      }
      if (route.gas.reduce((sum, gas) => sum + gas, 0) <= this.#gasLimit) {
        met.paths = search.flows.count;
        met.lost = this.#lostBy(request, route);
        if (met.lost > LOST_MIN) met.hidingPool ??= roundedPool(request, route);
        return route;
      }
      const { totalIn, totalOut } = search.flows;
      met.beyondLimit ??= request.kind === "exactIn" ? totalOut : totalIn;
      search.paths.spareGas(route.gas, this.#gasLimit);
    }
    return undefined;
  }

  /** The part by which integers give less than floats, or take more. */
  #lostBy({ kind }: QuoteRequest, { amountIn, amountOut }: ExactRoute): number {
    const { totalIn, totalOut } = this.#search.flows;
    return 1 - (kind === "exactIn" ? Number(amountOut) / totalOut : totalIn / Number(amountIn));
  }

  #shareOf(path: number): number {
    const { flows } = this.#search;
    return flows.amountIn[path]! / flows.totalIn;
  }

  #quote({ gasPrice }: QuoteRequest, route: ExactRoute): Quote {
    const { steps, amountIn, amountOut, gas, typicalGas } = route;
    return {
      found: true,
      amountIn,
      amountOut,
      steps,
      gas: gas.reduce((sum, own) => sum + own, 0),
      ...(gasPrice !== undefined && { typicalGas }),
      priceImpact: priceImpactOf(this.#search, amountOut),
      stamp: this.#graph.stamp,
    };
  }
}

/** The pool that gives the fewest units on the way. */
function roundedPool({ tokenOut }: QuoteRequest, route: ExactRoute): PoolIndex | undefined {
  const between = route.steps.filter((step) => step.tokenOut !== tokenOut);
  if (between.length === 0) return undefined;
  return between.reduce((a, b) => (b.amountOut < a.amountOut ? b : a)).pool;
}

/** The gas cost of a quote as a part of the sought amount. */
function gasShare({ gasPrice = 0, kind }: QuoteRequest, quote: Quote): number {
  const { typicalGas = 0 } = quote; // at no price
  const sought = kind === "exactIn" ? quote.amountOut : quote.amountIn;
  return (gasPrice * typicalGas) / Number(sought);
}

/**
 * The number of paths to seek where so many were sought, and `left` of them kept within the gas
 * limit: as many, if there are several. Of very many, poor ones are left.
 */
function fewerThan(sought: number, left: number): number {
  if (sought > AMPLE) return AMPLE;
  return left > 1 && left < sought ? left : Math.ceil(sought / 2);
}

function isBetter(request: QuoteRequest, route: ExactRoute, best: QuoteResult): boolean {
  return !best.found || netOf(request, route) > netOf(request, best);
}

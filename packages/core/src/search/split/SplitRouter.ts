import { CURVE_STRIDE, type Curve, type PoolFamily } from "../../Curve.ts";
import type { PoolGraph, PoolIndex } from "../../graph/PoolGraph.ts";
import type { GapGoal } from "../certificate/GapGoal.ts";
import { netOf } from "../netOf.ts";
import { PoolMask } from "../PoolMask.ts";
import { HOPS_MAX, type Quote, type QuoteRequest, type QuoteResult } from "../quote.ts";
import { ExactPaths, type ExactRoute } from "./ExactPaths.ts";
import { SplitSearch } from "./SplitSearch.ts";

/** How often a float solution is mended that the contracts would not fill, or not with this gas. */
const ATTEMPTS_MAX = 24;
/** Parts of its amount that a path gets after it was refused again and again; then it goes. */
const RESTRICTIONS = [1 - 2 ** -12, 1 - 2 ** -5, 0];
/** Where the gas limit allows fewer paths than were found, so few are sought as well. */
const FEWER = [32, 16, 8];
/** So many paths in a row are taken out although what is left after gas gets no more by it. */
const FUTILE_MAX = 3;
/** A path that was to take this part and is refused at last has kept others from being found. */
const HIDING_MIN = 1e-4;
/** So many pools in a row are left out for refusing such a path. */
const HIDING_POOLS_MAX = 3;
/** Where a pool refuses such a path, a search of more paths may settle on worse than one of 64. */
const AMPLE = 64;
/** Where all gas costs less than this part, there is hardly that to be had by other paths. */
const GAS_SHARE_MIN = 1e-5;

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
  readonly #piece = new Float64Array(CURVE_STRIDE);
  /** See `#repeated`. */
  readonly #takenOnce = new Set<number>();
  /** Whether the last solution was thinned out for its gas, which leaves no good choice. */
  #metGasLimit = false;
  /** The pool that refused a path of the last solution that was to take a good part of it all. */
  #hidingPool: PoolIndex | undefined;

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
   * The better of a request's best single path, if it has one, and the best split that is found:
   * with a goal, one of few paths that meets it.
   */
  improve(request: QuoteRequest, path: QuoteResult, goal?: GapGoal): QuoteResult {
    this.#mask.set(request.filter);
    try {
      const hasSpared = this.#find(request, path, goal);
      const found = this.#better(request, path);
      const fewer = this.#metGasLimit ? this.#withFewer(request, request, path, found) : found;
      const quote = this.#withoutHiding(request, path, fewer);
      // A quote may show itself to be closer than the search did.
      if (goal === undefined || !quote.found || goal.isMetBy(quote) || !hasSpared) return quote;
      // Integers give less than the floats by which paths were spared.
      this.#find(request, path);
      return this.#better(request, quote);
    } finally {
      this.#mask.clear(request.filter);
    }
  }

  /**
   * As `improve`, of a request with a price of gas. Splits that pay for several paths are no proven
   * optimum, and are sought from both ends: from the best path `unpriced` without that price, where
   * what is found is thinned out, and from the best with it, to which is added what earns its gas.
   */
  improveNet(request: QuoteRequest, path: QuoteResult, unpriced: QuoteResult): QuoteResult {
    this.#mask.set(request.filter);
    try {
      const free = { ...request, gasPrice: 0 };
      this.#find(free, unpriced);
      const found = this.#better(request, path);
      const metGasLimit = this.#metGasLimit;
      let thinned = this.#thinned(request, found);
      if (metGasLimit) thinned = this.#withFewer(request, free, unpriced, thinned);
      if (thinned.found && gasShare(request, thinned) < GAS_SHARE_MIN) return thinned;
      this.#find(request, path);
      return this.#better(request, thinned);
    } finally {
      this.#mask.clear(request.filter);
    }
  }

  /**
   * The better of an answer that the gas limit has thinned out and what fewer paths give, which are
   * sought as another request says.
   */
  #withFewer(
    request: QuoteRequest,
    sought: QuoteRequest,
    path: QuoteResult,
    answer: QuoteResult,
  ): QuoteResult {
    let best = answer;
    for (const count of FEWER) {
      if (count >= request.maxSplits!) continue;
      this.#find({ ...sought, maxSplits: count }, path);
      best = this.#better(request, best);
      if (!this.#metGasLimit) break;
    }
    return best;
  }

  /**
   * The better of an answer and what is found without the pools that refused much of it. Where only
   * a few units of a token pass, integers lose most of what floats see to rounding: such a path
   * looks good, and those that it outdoes are never sought.
   */
  #withoutHiding(request: QuoteRequest, path: QuoteResult, answer: QuoteResult): QuoteResult {
    if (this.#hidingPool === undefined) return answer;
    let best = answer;
    for (let count = 0; count < HIDING_POOLS_MAX && this.#hidingPool !== undefined; count++) {
      this.#mask.block(this.#hidingPool);
      this.#find(request, path);
      best = this.#better(request, best);
    }
    if (request.maxSplits! <= AMPLE) return best;
    const ample = { ...request, maxSplits: AMPLE };
    // What refused a part of very many paths may serve fewer.
    this.#mask.clear(request.filter);
    this.#mask.set(request.filter);
    this.#find(ample, path);
    return this.#withoutHiding(ample, path, this.#better(ample, best));
  }

  #find(request: QuoteRequest, path: QuoteResult, goal?: GapGoal): boolean {
    if (path.found) return this.#search.find(request, path, this.#lastUnitRate(path), goal);
    return this.#search.find(request, undefined, 0, goal);
  }

  /** The better of an answer and what the contracts give for the solution. */
  #better(request: QuoteRequest, best: QuoteResult): QuoteResult {
    const route = this.#exactRoute(request);
    return route !== undefined && isBetter(request, route, best)
      ? this.#quote(request, route)
      : best;
  }

  /** The best of an answer and of the solution with ever fewer paths. */
  #thinned(request: QuoteRequest, answer: QuoteResult): QuoteResult {
    const search = this.#search;
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
    return best;
  }

  /** The solution in integers, mended until the contracts fill it within the gas limit. */
  #exactRoute(request: QuoteRequest): ExactRoute | undefined {
    const search = this.#search;
    let refusals = 0;
    let refusedBefore = -1;
    this.#metGasLimit = false;
    this.#hidingPool = undefined;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && search.paths.meetsTarget; attempt++) {
      const repeated = this.#repeated();
      if (repeated !== undefined) {
        search.paths.restrict(repeated, 0);
        continue;
      }
      const route = this.#exact.run(request, search.flows);
      if (route.refused) {
        refusals = route.path === refusedBefore ? refusals + 1 : 0;
        const part = route.isDust ? 0 : RESTRICTIONS[refusals]!;
        refusedBefore = part === 0 ? -1 : route.path;
        if (part === 0 && this.#shareOf(route.path) >= HIDING_MIN) this.#hidingPool = route.pool;
        search.paths.restrict(route.path, part);
        continue;
      }
      if (route.gas.reduce((sum, gas) => sum + gas, 0) <= this.#gasLimit) return route;
      this.#metGasLimit = true;
      search.paths.spareGas(route.gas, this.#gasLimit);
    }
    return undefined;
  }

  #shareOf(path: number): number {
    const { flows } = this.#search;
    return flows.amountIn[path]! / flows.totalIn;
  }

  /** The first path through a pool that an earlier one has taken, and that takes one swap only. */
  #repeated(): number | undefined {
    const { edges, flows } = this.#search;
    const taken = this.#takenOnce;
    taken.clear();
    for (let path = 0; path < flows.count; path++) {
      for (let hop = 0; hop < flows.hops[path]!; hop++) {
        const pool = edges.pool[flows.edges[path * HOPS_MAX + hop]!]! as PoolIndex;
        const family = this.#families[this.#graph.poolCurve[pool]!]!;
        if (!family.feeFollowsSwaps?.(pool)) continue;
        if (taken.has(pool)) return path;
        taken.add(pool);
      }
    }
    return undefined;
  }

  /** What the last unit of a path gave. */
  #lastUnitRate(path: Quote): number {
    const graph = this.#graph;
    let rate = 1;
    for (const { pool, tokenIn, tokenOut, amountIn } of path.steps) {
      const family = this.#families[graph.poolCurve[pool]!]!;
      const amount = Number(amountIn);
      const positionIn = graph.poolPosition(pool, tokenIn);
      family.pieceAt(pool, positionIn, graph.poolPosition(pool, tokenOut), amount, this.#piece, 0);
      const [x, y, , start] = this.#piece as unknown as [number, number, number, number];
      const depth = x + amount - start;
      rate *= (x / depth) * (y / depth);
    }
    return rate;
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
      priceImpact: this.#priceImpact(amountOut),
      stamp: this.#graph.stamp,
    };
  }

  /** Against each path's first unit: the rates have the fees in them, the curves' doing is left. */
  #priceImpact(amountOut: bigint): number {
    const { edges, flows } = this.#search;
    let withoutImpact = 0;
    for (let path = 0; path < flows.count; path++) {
      let amount = flows.amountIn[path]!;
      for (let hop = 0; hop < flows.hops[path]!; hop++) {
        const edge = flows.edges[path * HOPS_MAX + hop]!;
        amount *= edges.y[edge]! / edges.x[edge]!;
      }
      withoutImpact += amount;
    }
    return Math.min(Math.max(1 - Number(amountOut) / withoutImpact, 0), 1);
  }
}

/** What part of the sought amount the gas of a quote costs. */
function gasShare({ gasPrice = 0, kind }: QuoteRequest, quote: Quote): number {
  const { typicalGas = 0 } = quote; // at no price
  const sought = kind === "exactIn" ? quote.amountOut : quote.amountIn;
  return (gasPrice * typicalGas) / Number(sought);
}

function isBetter(request: QuoteRequest, route: ExactRoute, best: QuoteResult): boolean {
  return !best.found || netOf(request, route) > netOf(request, best);
}

import type { Curve, PoolFamily } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { type Bound, Certifier, certificateOf, loosest } from "./certificate/Certifier.ts";
import { GapGoal } from "./certificate/GapGoal.ts";
import { netOf } from "./netOf.ts";
import { PathRouter } from "./PathRouter.ts";
import type { Quote, QuoteRequest, QuoteResult } from "./quote.ts";
import { soundRequest } from "./soundRequest.ts";
import { pathCounts } from "./split/pathCounts.ts";
import { SplitRouter } from "./split/SplitRouter.ts";
import { withinSets } from "./withinSets.ts";

/** Finds the best route through one graph: one path, or several where the request allows it. */
export class Router {
  readonly #graph: PoolGraph;
  readonly #paths: PathRouter;
  readonly #splits: SplitRouter;
  readonly #certifier: Certifier;

  /**
   * `curves` and `families`, which they opened on the graph, go with `graph.curveNames`. `gasLimit`
   * is for all swaps of a route together; see `PoolFamily.gas`.
   */
  constructor(
    graph: PoolGraph,
    curves: ReadonlyArray<Curve>,
    families: ReadonlyArray<PoolFamily>,
    { gasLimit }: { readonly gasLimit: number },
  ) {
    this.#graph = graph;
    this.#paths = new PathRouter(graph, families, gasLimit);
    this.#splits = new SplitRouter(graph, curves, families, gasLimit);
    this.#certifier = new Certifier(graph, families);
  }

  /**
   * The best route of a request; see `Quote` and `QuoteRequest`. Throws a QuoteRequestError for an
   * invalid request.
   */
  quote(request: QuoteRequest): QuoteResult {
    return this.quoteChecked(soundRequest(this.#graph, request));
  }

  /** The same for a request that `soundRequest` returned, even in another thread. */
  quoteChecked(request: QuoteRequest): QuoteResult {
    if (request.gapBps !== undefined) return this.#quoteWithinGap(request, request.gapBps);
    const result = best(request, (within) => this.#quote(within));
    if (request.certify !== true || !result.found) return result;
    return certified(request, result, this.#certifier.boundOf(request, result));
  }

  #quoteWithinGap(request: QuoteRequest, gapBps: number): QuoteResult {
    const goals: GapGoal[] = [];
    const result = best(request, (within) => {
      const goal = new GapGoal(this.#certifier, within, gapBps);
      const quote = this.#quote(within, goal);
      if (quote.found || quote.reason !== "NoRoute") goals.push(goal);
      return quote;
    });
    return result.found ? certified(request, result, loosest(request, goals)) : result;
  }

  #quote(request: QuoteRequest, goal?: GapGoal): QuoteResult {
    const { gasPrice, maxSplits = goal === undefined ? 1 : Number.POSITIVE_INFINITY } = request;
    const path = this.#paths.quote(request);
    if (goal !== undefined && path.found && goal.isMetBy(path)) return path;
    if (maxSplits <= 1) return path;
    if (!path.found && path.reason !== "InsufficientLiquidity") return path;
    const split = { ...request, maxSplits };
    if (!gasPrice) return this.#splits.improve(split, path, goal);
    const unpriced = this.#paths.quote({ ...request, gasPrice: 0 });
    if (goal === undefined) return this.#splits.improveNet(split, path, unpriced);
    return this.#fewestNet(split, maxSplits, path, unpriced, goal);
  }

  /** Gas changes the worth of paths: allows more paths until the quote is close enough. */
  #fewestNet(
    request: QuoteRequest,
    maxSplits: number,
    path: QuoteResult,
    unpriced: QuoteResult,
    goal: GapGoal,
  ): QuoteResult {
    let quote = path;
    for (const count of pathCounts(maxSplits)) {
      quote = this.#splits.improveNet({ ...request, maxSplits: count }, path, unpriced);
      if (quote.found && goal.isMetBy(quote)) break;
    }
    return quote;
  }
}

/** The best quote of a request; with sets of DEXes, the best over all sets. */
function best(request: QuoteRequest, quote: (within: QuoteRequest) => QuoteResult): QuoteResult {
  if (request.filter?.dexSets === undefined) return quote(request);
  let found: QuoteResult = { found: false, reason: "NoRoute" };
  for (const within of withinSets(request)) found = better(request, found, quote(within));
  return found;
}

/** Adds the certificate, if there is a bound. */
function certified(request: QuoteRequest, quote: Quote, bound: Bound): Quote {
  if (typeof bound !== "bigint") return quote;
  return { ...quote, certificate: certificateOf(request, quote, bound) };
}

/**
 * The better quote after gas, the first of equals; without a quote, a reason other than NoRoute if
 * there is one.
 */
function better(request: QuoteRequest, one: QuoteResult, other: QuoteResult): QuoteResult {
  if (!other.found) return one.found || other.reason === "NoRoute" ? one : other;
  return one.found && netOf(request, one) >= netOf(request, other) ? one : other;
}

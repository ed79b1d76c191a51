import type { Curve, PoolFamily } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { netOf } from "./netOf.ts";
import { PathRouter } from "./PathRouter.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";
import { soundRequest } from "./soundRequest.ts";
import { SplitRouter } from "./split/SplitRouter.ts";

/** Finds the best route through one graph: one path, or several where the request allows it. */
export class Router {
  readonly #graph: PoolGraph;
  readonly #paths: PathRouter;
  readonly #splits: SplitRouter;

  /**
   * `curves` and `families`, which they opened on the graph, go with `graph.curveNames`.
   * `gasLimit` is for all swaps of a route together; see `PoolFamily.gas`.
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
  }

  /**
   * The best route of a request; see `Quote` and `QuoteRequest`. Throws a QuoteRequestError for one
   * that makes no sense.
   */
  quote(request: QuoteRequest): QuoteResult {
    return this.quoteChecked(soundRequest(this.#graph, request));
  }

  /** The same for a request that `soundRequest` gave, be it in another thread. */
  quoteChecked(request: QuoteRequest): QuoteResult {
    const { dexSets, ...filter } = request.filter ?? {};
    if (dexSets === undefined) return this.#quote(request);
    let best: QuoteResult = { found: false, reason: "NoRoute" };
    for (const set of dexSets) {
      const onlyDexes = filter.onlyDexes?.filter((dex) => set.includes(dex)) ?? set;
      best = better(request, best, this.#quote({ ...request, filter: { ...filter, onlyDexes } }));
    }
    return best;
  }

  #quote(request: QuoteRequest): QuoteResult {
    const path = this.#paths.quote(request);
    if (request.maxSplits === undefined || request.maxSplits <= 1) return path;
    if (!path.found && path.reason !== "InsufficientLiquidity") return path;
    if (!request.gasPrice) return this.#splits.improve(request, path);
    const unpriced = this.#paths.quote({ ...request, gasPrice: 0 });
    return this.#splits.improveNet(request, path, unpriced);
  }
}

/** The quote that leaves more, the first of equals; else a reason other than no route. */
function better(request: QuoteRequest, one: QuoteResult, other: QuoteResult): QuoteResult {
  if (!other.found) return one.found || other.reason === "NoRoute" ? one : other;
  return one.found && netOf(request, one) >= netOf(request, other) ? one : other;
}

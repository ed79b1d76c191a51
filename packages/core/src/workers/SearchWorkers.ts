import { Effect, Fiber, type Scope } from "effect";
import type { Cycle } from "../cycles/Cycle.ts";
import type { ExplainedResult } from "../explain/explainQuote.ts";
import type { TokenIndex } from "../graph/PoolGraph.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import type { SearchResults, SearchTask } from "./messages.ts";
import { type SearchCounts, SearchPool } from "./SearchPool.ts";

export interface SearchWorkersOptions {
  /** Threads; 1 or more. */
  readonly count: number;
  /** The module whose export `curves` holds the market's curves, in the same order. */
  readonly curvesModule: URL;
}

/** Threads that search the market's own shared memory. */
export interface SearchWorkers {
  /** Starts the threads, and waits until they can search; dies when they cannot start. */
  readonly ready: Effect.Effect<void>;
  /**
   * As `Router.quote`, on the newest block at the time of the answer. Never fails because of a
   * thread: the caller's thread searches where threads do not get to it. Requests wait for a thread
   * in order, without a bound: a server should refuse requests by `waitingCount`. Interruption
   * drops the request, or its answer.
   */
  readonly quote: (request: QuoteRequest) => Effect.Effect<QuoteResult>;
  /** The same with an explanation; see `explainQuote`. */
  readonly explained: (request: QuoteRequest) => Effect.Effect<ExplainedResult>;
  /**
   * As `Cycles.find`, on the newest block at the time of the answer, for valid arguments. The
   * caller's thread never searches: undefined where blocks came faster than threads could search,
   * or where there is no thread. Otherwise as `quote`.
   */
  readonly cycles: (
    token: TokenIndex,
    maxHops: number,
  ) => Effect.Effect<ReadonlyArray<Cycle> | undefined>;
  /** Requests that no thread has taken yet. */
  readonly waitingCount: () => number;
  readonly counts: () => SearchCounts;
}

/**
 * Threads that start in the background with the first request, since each takes some 20 MB, and end
 * with the scope. A failed start is logged: the caller's thread then searches, as it does until the
 * threads are ready. Dies for an invalid count.
 */
export function openSearchWorkers(
  market: OpenMarket,
  { count, curvesModule }: SearchWorkersOptions,
): Effect.Effect<SearchWorkers, never, Scope.Scope> {
  return Effect.gen(function* () {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${count} search threads`);
    const services = yield* Effect.context<never>();
    const runFork = Effect.runForkWith(services);
    const lost = (reason: unknown) =>
      runFork(Effect.logWarning("a search thread ended and is replaced", reason));
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new SearchPool(market, curvesModule, lost)),
      (opened) => Effect.promise(() => opened.close()),
    );
    const scope = yield* Effect.scope;
    const starting = yield* Effect.promise(() => pool.start(count)).pipe(
      Effect.tapCause((cause) => Effect.logError("search threads do not start", cause)),
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.cached,
    );
    const ready = Effect.flatMap(starting, Fiber.join);
    const search = <Kind extends SearchTask["kind"]>(task: SearchTask & { readonly kind: Kind }) =>
      Effect.callback<SearchResults[Kind] | undefined>((resume) => {
        runFork(starting);
        const drop = pool.search(task, (searched) =>
          resume(
            "defect" in searched
              ? Effect.die(searched.defect)
              : Effect.succeed(searched.result as SearchResults[Kind] | undefined),
          ),
        );
        return Effect.sync(drop);
      });
    return {
      ready,
      // A quote always gets a result.
      quote: (request) => Effect.map(search({ kind: "quote", request }), (result) => result!),
      explained: (request) => Effect.map(search({ kind: "explained", request }), (found) => found!),
      // The pool notices if threads have not started.
      cycles: (token, maxHops) =>
        Effect.andThen(Effect.exit(ready), search({ kind: "cycles", token, maxHops })),
      waitingCount: () => pool.waitingCount,
      counts: () => pool.counts,
    };
  });
}

import { Effect, type Scope } from "effect";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import { type SearchCounts, SearchPool } from "./SearchPool.ts";

export interface SearchWorkersOptions {
  /** Threads; 1 or more. */
  readonly count: number;
  /** The module whose export `protocols` holds the families of the market, in the same order. */
  readonly protocolsModule: URL;
}

/** Threads that search the market's own shared memory. */
export interface SearchWorkers {
  /**
   * As `Router.quote`, on the block that is the newest when it answers. Never fails for a thread:
   * the caller's searches where threads do not get to it. Requests wait for a thread in their
   * order, without a bound: who serves others refuses them by `waitingCount`. Interruption drops
   * the request, or its answer.
   */
  readonly quote: (request: QuoteRequest) => Effect.Effect<QuoteResult>;
  /** Requests that no thread has taken yet. */
  readonly waitingCount: () => number;
  readonly counts: () => SearchCounts;
}

/** Starts threads, which end with the scope. Dies when they cannot start. */
export function openSearchWorkers(
  market: OpenMarket,
  { count, protocolsModule }: SearchWorkersOptions,
): Effect.Effect<SearchWorkers, never, Scope.Scope> {
  return Effect.gen(function* () {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${count} search threads`);
    const services = yield* Effect.context<never>();
    const runFork = Effect.runForkWith(services);
    const lost = (reason: unknown) =>
      runFork(Effect.logWarning("a search thread ended and is replaced", reason));
    const pool = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const started = new SearchPool(market, protocolsModule, lost);
        await started.start(count);
        return started;
      }),
      (started) => Effect.promise(() => started.close()),
    );
    return {
      quote: (request) =>
        Effect.callback((resume) => {
          const drop = pool.search(request, (searched) =>
            resume(
              "defect" in searched ? Effect.die(searched.defect) : Effect.succeed(searched.result),
            ),
          );
          return Effect.sync(drop);
        }),
      waitingCount: () => pool.waitingCount,
      counts: () => pool.counts,
    };
  });
}

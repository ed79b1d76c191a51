import type { Effect, Scope } from "effect";
import type { OpenMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";

export interface SearchWorkersOptions {
  /** Threads; 1 or more. */
  readonly count: number;
  /** The module whose export `protocols` holds the families of the market, in the same order. */
  readonly protocolsModule: URL;
}

/** Threads that search the market's own shared memory. */
export interface SearchWorkers {
  /** As `Router.quote`, on the block that is the newest when it answers. Never fails for a thread. */
  readonly quote: (request: QuoteRequest) => Effect.Effect<QuoteResult>;
  /** To be called after every block was applied. */
  readonly applied: () => void;
}

/** Starts threads; they end with the scope. */
export declare function openSearchWorkers(
  market: OpenMarket,
  options: SearchWorkersOptions,
): Effect.Effect<SearchWorkers, never, Scope.Scope>;

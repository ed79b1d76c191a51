import type { Cycle } from "../cycles/Cycle.ts";
import type { ExplainedResult } from "../explain/explainQuote.ts";
import type { SharedAddressIndex } from "../graph/AddressIndex.ts";
import type { PoolGraph, TokenIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";

/** The data that a thread starts with. */
export interface SearchWorkerData {
  readonly chainId: number;
  readonly curveNames: ReadonlyArray<string>;
  /** Its export `curves` holds the curves, in the order of the names. */
  readonly curvesModule: string;
  /** See `MarketOptions`. */
  readonly gasLimit: number;
}

/** A task of a thread. */
export type SearchTask =
  | { readonly kind: "quote"; readonly request: QuoteRequest }
  | { readonly kind: "explained"; readonly request: QuoteRequest }
  | { readonly kind: "cycles"; readonly token: TokenIndex; readonly maxHops: number };

/** The result of each kind of task. */
export interface SearchResults {
  readonly quote: QuoteResult;
  readonly explained: ExplainedResult;
  readonly cycles: ReadonlyArray<Cycle>;
}

export type SearchResult = SearchResults[keyof SearchResults];

/**
 * - update: changes of the graph that the thread has not received yet.
 * - search: one task; the next comes after its answer.
 */
export type SearchMessage =
  | { readonly kind: "update"; readonly update: GraphUpdate }
  | { readonly kind: "search"; readonly task: SearchTask };

/** Changed fields of a graph; shared arrays are posted by reference, not copied. */
export interface GraphUpdate {
  /** The write (`sequenceOf`) up to which a thread with these fields may read the arrays. */
  readonly sequence: number;
  readonly fields: Partial<Record<keyof PoolGraph, unknown>>;
  /** For threads that look up addresses themselves. */
  readonly indexes?: {
    readonly tokens: SharedAddressIndex;
    readonly pools: SharedAddressIndex;
  };
}

/**
 * - ready: the thread has started and waits for its first search.
 * - answer: the result of the search, all of it read from the block of the last update.
 * - stale: there was a write after that update, before the search began.
 * - torn: there was a write while the search ran.
 * - defect: the search threw, on a graph of one block.
 */
export type SearchReply =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly result: SearchResult }
  | { readonly kind: "stale" }
  | { readonly kind: "torn" }
  | { readonly kind: "defect"; readonly error: unknown };

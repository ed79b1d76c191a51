import type { Cycle } from "../cycles/Cycle.ts";
import type { ExplainedResult } from "../explain/explainQuote.ts";
import type { SharedAddressIndex } from "../graph/AddressIndex.ts";
import type { PoolGraph, TokenIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";

/** What a thread is started with. */
export interface SearchWorkerData {
  readonly chainId: number;
  readonly curveNames: ReadonlyArray<string>;
  /** Its export `curves` holds the families, in the order of the names. */
  readonly curvesModule: string;
  /** See `MarketOptions`. */
  readonly gasLimit: number;
}

/** What a thread is asked for. */
export type SearchTask =
  | { readonly kind: "quote"; readonly request: QuoteRequest }
  | { readonly kind: "explained"; readonly request: QuoteRequest }
  | { readonly kind: "cycles"; readonly token: TokenIndex; readonly maxHops: number };

/** What each kind of task comes to. */
export interface SearchResults {
  readonly quote: QuoteResult;
  readonly explained: ExplainedResult;
  readonly cycles: ReadonlyArray<Cycle>;
}

export type SearchResult = SearchResults[keyof SearchResults];

/**
 * - update: what of the graph the thread has not been told yet.
 * - search: one task; the next comes when it is answered.
 */
export type SearchMessage =
  | { readonly kind: "update"; readonly update: GraphUpdate }
  | { readonly kind: "search"; readonly task: SearchTask };

/** Fields of a graph that have changed; shared arrays are posted by reference, not copied. */
export interface GraphUpdate {
  /** The write (`sequenceOf`) up to which a thread that knows these fields may read the arrays. */
  readonly sequence: number;
  readonly fields: Partial<Record<keyof PoolGraph, unknown>>;
  /** For threads that look addresses up themselves. */
  readonly indexes?: {
    readonly tokens: SharedAddressIndex;
    readonly pools: SharedAddressIndex;
  };
}

/**
 * - ready: the thread has started and waits for its first search.
 * - answer: what the search found, all of it read from the block that the thread was told of.
 * - stale: there was a write after that before the search began.
 * - torn: there was one while it ran.
 * - defect: the search threw, on a graph of one block.
 */
export type SearchReply =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly result: SearchResult }
  | { readonly kind: "stale" }
  | { readonly kind: "torn" }
  | { readonly kind: "defect"; readonly error: unknown };

import type { Curve } from "../Curve.ts";
import { explainQuote } from "../explain/explainQuote.ts";
import { familyOfPool } from "../familyOfPool.ts";
import { PoolGraph, type PoolIndex } from "../graph/PoolGraph.ts";
import { sequenceOf } from "../graph/writeSequence.ts";
import { openSearch, type ReadMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import type { Assumption } from "../whatIf/Assumption.ts";
import { openOverlay } from "../whatIf/openOverlay.ts";
import type { GraphUpdate } from "./messages.ts";

export interface MarketReaderOptions {
  readonly chainId: number;
  /** In the writer's order. */
  readonly curves: ReadonlyArray<Curve>;
  /** See `MarketOptions`. */
  readonly gasLimit: number;
}

/**
 * A market that another thread writes, read in shared memory. Results are valid only within `read`,
 * which checks that they are of one block.
 */
export class MarketReader {
  readonly graph: PoolGraph;
  readonly #curves: ReadonlyArray<Curve>;
  readonly #gasLimit: number;
  #market: ReadMarket | undefined;
  #sequence = Number.NaN;
  #tornCount = 0;

  constructor({ chainId, curves, gasLimit }: MarketReaderOptions) {
    this.graph = new PoolGraph(
      chainId,
      curves.map(({ name }) => name),
    );
    this.#curves = curves;
    this.#gasLimit = gasLimit;
  }

  /** Takes the updates of `GraphReaders`, in their order. */
  take({ sequence, fields, indexes }: GraphUpdate): void {
    Object.assign(this.graph, fields);
    if (indexes !== undefined) {
      this.graph.tokenByAddress.share(indexes.tokens);
      this.graph.poolByAddress.share(indexes.pools);
    }
    this.#sequence = sequence;
  }

  /** Whether nothing was written since the last update, and no write is in progress. */
  get isCurrent(): boolean {
    return sequenceOf(this.graph) === this.#sequence;
  }

  /** Number of `read` calls during which a write began. */
  get tornCount(): number {
    return this.#tornCount;
  }

  /**
   * Computes on the newest block. Undefined where that is not the block of the last update, or
   * where another came meanwhile.
   */
  read<A extends {}>(compute: () => A): A | undefined {
    const sequence = this.#sequence;
    const isOfOneBlock = () => sequenceOf(this.graph) === sequence;
    if (!isOfOneBlock()) return undefined;
    try {
      const value = compute();
      if (isOfOneBlock()) return value;
    } catch (error) {
      // Torn reads may cause anything, errors included.
      if (isOfOneBlock()) throw error;
    }
    // The caches of families and search may come from torn reads.
    this.#market = undefined;
    this.#tornCount++;
    return undefined;
  }

  familyOf(pool: PoolIndex) {
    return familyOfPool(this.#opened, pool);
  }

  quoteUnsafe(request: QuoteRequest) {
    return this.#opened.router.quote(request);
  }

  explain(request: QuoteRequest, result: QuoteResult) {
    return explainQuote(this.#opened, request, result);
  }

  overlay(assumptions: ReadonlyArray<Assumption>) {
    return openOverlay(this.#opened, assumptions);
  }

  get #opened(): ReadMarket {
    this.#market ??= {
      graph: this.graph,
      curves: this.#curves,
      options: { gasLimit: this.#gasLimit },
      ...openSearch(this.graph, this.#curves, this.#gasLimit),
    };
    return this.#market;
  }
}

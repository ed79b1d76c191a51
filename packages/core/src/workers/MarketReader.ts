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
 * A market that another thread writes, read where it is. What is computed on it counts only within
 * `read`, which tells whether it is of one block.
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

  /** Takes what `GraphReaders` posts, in its order. */
  take({ sequence, fields, indexes }: GraphUpdate): void {
    Object.assign(this.graph, fields);
    if (indexes !== undefined) {
      this.graph.tokenByAddress.share(indexes.tokens);
      this.graph.poolByAddress.share(indexes.pools);
    }
    this.#sequence = sequence;
  }

  /** Whether nothing was written since what was taken last, and nothing is being written. */
  get isCurrent(): boolean {
    return sequenceOf(this.graph) === this.#sequence;
  }

  /** Grows with each `read` that a write came into. */
  get tornCount(): number {
    return this.#tornCount;
  }

  /**
   * Computes on the newest block. Undefined, with nothing kept of it, where that is not the one
   * that was taken last, or where another came meanwhile.
   */
  read<A extends {}>(compute: () => A): A | undefined {
    const sequence = this.#sequence;
    const isOfOneBlock = () => sequenceOf(this.graph) === sequence;
    if (!isOfOneBlock()) return undefined;
    try {
      const value = compute();
      if (isOfOneBlock()) return value;
    } catch (error) {
      // Of numbers that were never together anything may come, errors too.
      if (isOfOneBlock()) throw error;
    }
    // What families and search keep may come of such numbers.
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

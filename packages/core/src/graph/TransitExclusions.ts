import type { Address } from "./address.ts";
import { grown } from "./buffers.ts";
import { NO_RANK, type PoolGraph, type TokenIndex } from "./PoolGraph.ts";

/** The tokens excluded from the middle of routes, by address: some may not be known yet. */
export class TransitExclusions {
  readonly #graph: PoolGraph;
  #addresses: ReadonlySet<Address> = new Set();
  /** Number of tokens, from the first on, whose marks are up to date. */
  #markedCount = 0;

  constructor(graph: PoolGraph) {
    this.#graph = graph;
  }

  /**
   * Replaces the set before. Returns whether a token of the graph becomes excluded or allowed by
   * that: then `mark` must follow.
   */
  replace(addresses: ReadonlySet<Address>): { readonly changesMarks: boolean } {
    this.#addresses = new Set(addresses);
    const tokens = this.#tokens();
    const { tokenCount, tokenIsExcluded } = this.#graph;
    for (let token = 0; token < tokenCount; token++) {
      if ((tokenIsExcluded[token] === 1) !== tokens.has(token)) return { changesMarks: true };
    }
    return { changesMarks: false };
  }

  /**
   * Marks the tokens of the graph. Returns whether that changes the set of transits: most excluded
   * tokens have pools with only one other token, and are no transits anyway.
   */
  mark(): { readonly changesTransits: boolean } {
    const graph = this.#graph;
    graph.tokenIsExcluded = grown(Uint8Array, graph.tokenIsExcluded, graph.tokenCount);
    const tokens = this.#tokens();
    this.#markedCount = graph.tokenCount;
    let changesTransits = false;
    for (let token = 0; token < graph.tokenCount; token++) {
      const mark = tokens.has(token) ? 1 : 0;
      if (graph.tokenIsExcluded[token] === mark) continue;
      graph.tokenIsExcluded[token] = mark;
      if (mark === 0 || graph.tokenRank[token] !== NO_RANK) changesTransits = true;
    }
    return { changesTransits };
  }

  /** Marks the new tokens. */
  markNew(): void {
    const graph = this.#graph;
    graph.tokenIsExcluded = grown(Uint8Array, graph.tokenIsExcluded, graph.tokenCount);
    for (; this.#markedCount < graph.tokenCount; this.#markedCount++) {
      const token = this.#markedCount as TokenIndex;
      graph.tokenIsExcluded[token] = this.#addresses.has(graph.tokenAddress(token)) ? 1 : 0;
    }
  }

  #tokens(): ReadonlySet<number> {
    const tokens = new Set<number>();
    for (const address of this.#addresses) {
      const token = this.#graph.findToken(address);
      if (token !== undefined) tokens.add(token);
    }
    return tokens;
  }
}

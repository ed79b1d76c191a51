import type { PoolGraph, TokenIndex } from "../graph/PoolGraph.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";

/**
 * What a unit of gas costs in smallest units of a token (see `QuoteRequest.gasPrice`), at `wei` of
 * the native token a unit: priced by the best route from the wrapped native token, for about what a
 * swap costs. Undefined where no route leads there. Being built.
 */
export function gasPriceIn(
  _graph: PoolGraph,
  _quote: (request: QuoteRequest) => QuoteResult,
  _wrappedNative: TokenIndex,
  _token: TokenIndex,
  _wei: number,
): number | undefined {
  throw new Error("being built");
}

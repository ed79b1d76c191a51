import type { OpenMarket } from "../openMarket.ts";
import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import type { Explanation } from "./Explanation.ts";

/** Where a result of this market, on its current block, comes from. Many quotes long: not for hot paths. */
export function explainQuote(
  _market: Pick<OpenMarket, "graph" | "families" | "router">,
  _request: QuoteRequest,
  _result: QuoteResult,
): Explanation {
  throw new Error("being built");
}

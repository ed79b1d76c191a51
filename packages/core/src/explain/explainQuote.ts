import type { QuoteRequest, QuoteResult } from "../search/quote.ts";
import { soundRequest } from "../search/soundRequest.ts";
import type { ExplainedMarket, Explanation } from "./Explanation.ts";
import { explainRoute } from "./explainRoute.ts";
import { findLimit } from "./findLimit.ts";
import { findRunnerUp } from "./findRunnerUp.ts";
import { soundResult } from "./soundResult.ts";

/** A result with its explanation. */
export interface ExplainedResult {
  readonly result: QuoteResult;
  readonly explanation: Explanation;
}

/**
 * Explains a result of this market on its current block. Costs a few quotes, for a refusal up to
 * some dozens: not for hot paths. Throws a QuoteRequestError for an invalid request, and for a
 * result that does not belong to the request.
 */
export function explainQuote(
  market: ExplainedMarket,
  askedRequest: QuoteRequest,
  givenResult: QuoteResult,
): Explanation {
  // How close an answer is to the best does not matter here.
  const plain = { certify: undefined, gapBps: undefined };
  const request = { ...soundRequest(market.graph, askedRequest), ...plain };
  const result = soundResult(market, request, givenResult);
  if (!result.found) {
    const { reason } = result;
    // Limits are amounts, regardless of gas, whose price is in the token that is searched for.
    const limit = findLimit(market, { ...request, gasPrice: 0 }, reason);
    return { kind: "refusal", reason, limit };
  }
  const losses = explainRoute(market, result);
  return { kind: "route", ...losses, runnerUp: findRunnerUp(market, request, result) };
}

/** The best route in the current block, explained. */
export function quoteExplained(market: ExplainedMarket, request: QuoteRequest): ExplainedResult {
  const result = market.router.quote(request);
  return { result, explanation: explainQuote(market, request, result) };
}

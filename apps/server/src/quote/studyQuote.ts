import type { QuoteRequestJson } from "@millrace/api";
import type { Explanation, QuoteResult } from "@millrace/core";
import type { Answer } from "../answers/Answer.ts";
import { refusalExplanation, routeExplanationText } from "./explanations.ts";
import type { PricedRequest } from "./PricedRequest.ts";
import type { QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";
import { noQuote } from "./refusals.ts";
import { resolveQuote } from "./resolveQuote.ts";
import { withAssumptions } from "./withAssumptions.ts";
import { writeQuote } from "./writeQuote.ts";

/** True for a request that needs more than a search of the current market. */
export const isStudy = ({ explain, assume }: QuoteRequestJson): boolean =>
  explain === true || (assume !== undefined && assume.length > 0);

/** The answer to a request with `explain` or `assume`, on this thread: takes milliseconds. */
export function studyQuote(
  network: QuoteNetwork,
  market: QuoteMarket,
  request: PricedRequest,
): Answer {
  const resolved = resolveQuote(network, market, request);
  if ("status" in resolved) return resolved;
  const assumed = withAssumptions(network, market, request.assume ?? []);
  if ("status" in assumed) return assumed;
  const result = assumed.quoteUnsafe(resolved);
  const explanation = request.explain === true ? assumed.explain(resolved, result) : undefined;
  return writeResult(network, market, request, result, explanation);
}

/** The answer to a request that was searched, with its explanation if it asks for one. */
export function writeResult(
  network: QuoteNetwork,
  market: QuoteMarket,
  request: PricedRequest,
  result: QuoteResult,
  explanation: Explanation | undefined,
): Answer {
  if (result.found) {
    const text =
      explanation?.kind === "route" ? routeExplanationText(market, result, explanation) : undefined;
    return writeQuote(market, request, result, text);
  }
  const why = explanation?.kind === "refusal" ? refusalExplanation(explanation.limit) : undefined;
  return noQuote(network, request, result.reason, why);
}

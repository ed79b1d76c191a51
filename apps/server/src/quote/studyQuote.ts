import type { QuoteRequestJson } from "@millrace/api";
import type { Answer } from "../answers/Answer.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { refusalExplanation, routeExplanationText } from "./explanations.ts";
import type { PricedRequest } from "./PricedRequest.ts";
import { noQuote } from "./refusals.ts";
import { resolveQuote } from "./resolveQuote.ts";
import { withAssumptions } from "./withAssumptions.ts";
import { writeQuote } from "./writeQuote.ts";

/** True for a request that asks for more than a search of the market as it is. */
export const isStudy = ({ explain, assume }: QuoteRequestJson): boolean =>
  explain === true || (assume !== undefined && assume.length > 0);

/** The answer to a request with `explain` or `assume`: takes milliseconds. */
export function studyQuote(
  network: Network,
  market: NetworkMarket,
  request: PricedRequest,
): Answer {
  const resolved = resolveQuote(network, market, request);
  if ("status" in resolved) return resolved;
  const assumed = withAssumptions(network, market, request.assume ?? []);
  if ("status" in assumed) return assumed;
  const result = assumed.quoteUnsafe(resolved);
  const explanation = request.explain === true ? assumed.explain(resolved, result) : undefined;
  if (result.found) {
    const text =
      explanation?.kind === "route" ? routeExplanationText(market, result, explanation) : undefined;
    return writeQuote(market, request, result, text);
  }
  const why = explanation?.kind === "refusal" ? refusalExplanation(explanation.limit) : undefined;
  return noQuote(network, request, result.reason, why);
}

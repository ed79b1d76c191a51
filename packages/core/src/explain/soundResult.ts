import { soundHop } from "../route/soundRoute.ts";
import {
  invalidArgument,
  isSwapAmount,
  listOf,
  objectOf,
  readArgument,
} from "../search/arguments.ts";
import {
  type NoQuoteReason,
  pathsOf,
  type Quote,
  type QuoteRequest,
  type QuoteResult,
} from "../search/quote.ts";
import type { ExplainedMarket } from "./Explanation.ts";

/** The most paths of `soundRoute`, times HOPS_MAX pools. */
const STEPS_MAX = 2 ** 14;

/**
 * The result, checked and copied, of a sound request as it is now. Throws a QuoteRequestError where
 * the result does not belong to it: a route between other tokens, amounts that do not add up, or a
 * refusal that the market does not give.
 */
export function soundResult(
  market: ExplainedMarket,
  request: QuoteRequest,
  result: QuoteResult,
): QuoteResult {
  const sound = readArgument("result", () => resultOf(market, request, result));
  if (sound.found) return sound;
  const given = market.router.quote(request);
  if (!given.found && given.reason === sound.reason) return given;
  throw invalidArgument("result", "the request is not refused for that");
}

function resultOf(
  market: ExplainedMarket,
  request: QuoteRequest,
  result: QuoteResult,
): QuoteResult {
  const { found, reason, amountIn, amountOut, steps } = objectOf("result", result);
  // The market gives no unknown reason either: the comparison will fail.
  if (found === false) return { found, reason: reason as NoQuoteReason };
  if (found !== true) throw invalidArgument("result", "expected what a quote gave");
  if (!isSwapAmount(amountIn) || !isSwapAmount(amountOut))
    throw invalidArgument("result", "it has no amounts");
  const sound = listOf("steps", steps, STEPS_MAX).map((step) => soundStep(market, step));
  const { gas, priceImpact, stamp } = result as Quote;
  const quote: Quote = { found, amountIn, amountOut, steps: sound, gas, priceImpact, stamp };
  if (!isRouteOf(request, quote)) throw invalidArgument("result", "it is no route of the request");
  return quote;
}

function soundStep({ graph }: ExplainedMarket, step: unknown): Quote["steps"][number] {
  const { pool, tokenIn, tokenOut } = soundHop(graph, step);
  const { amountIn, amountOut } = objectOf("steps", step);
  if (!isSwapAmount(amountIn) || !isSwapAmount(amountOut))
    throw invalidArgument("steps", "one has no amounts");
  return { pool, tokenIn, tokenOut, amountIn, amountOut };
}

/** Whether its paths lead from token to token, and their amounts add up to the route's. */
function isRouteOf({ tokenIn, tokenOut, kind, amount }: QuoteRequest, quote: Quote): boolean {
  if (quote.steps[0]?.tokenIn !== tokenIn) return false;
  if ((kind === "exactIn" ? quote.amountIn : quote.amountOut) !== amount) return false;
  let given = 0n;
  let taken = 0n;
  for (const path of pathsOf(quote)) {
    for (let place = 1; place < path.length; place++) {
      const before = path[place - 1]!;
      const step = path[place]!;
      if (step.tokenIn !== before.tokenOut || step.amountIn !== before.amountOut) return false;
    }
    const last = path[path.length - 1]!;
    if (last.tokenOut !== tokenOut) return false;
    taken += path[0]!.amountIn;
    given += last.amountOut;
  }
  return taken === quote.amountIn && given === quote.amountOut;
}

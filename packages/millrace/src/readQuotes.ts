import type { AppliedBlock } from "@millrace/core";
import { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
import type { QuoteUpdate, RouteQuote } from "./RouteQuote.ts";

/** What another block may change. */
const PASSING: ReadonlySet<MillraceErrorCode> = new Set<MillraceErrorCode>([
  "NO_ROUTE",
  "AMOUNT_TOO_SMALL",
  "INSUFFICIENT_LIQUIDITY",
  "UNKNOWN_TOKEN",
  "UNKNOWN_POOL",
  "NO_ROUTER",
  "NOT_READY",
]);

/** Answers, each that differs from the one before, until the signal; blocks may pass unseen. */
export async function* readQuotes(
  quote: () => Promise<RouteQuote>,
  onApplied: (listener: (block: AppliedBlock) => void) => () => void,
  signal: AbortSignal,
): AsyncGenerator<QuoteUpdate, void, void> {
  let isNews = true;
  let wake = () => {};
  const stop = onApplied(() => {
    isNews = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    let last = "";
    while (!signal.aborted) {
      if (isNews) {
        isNews = false;
        const update = await answerTo(quote);
        const text = update.kind === "quote" ? routeText(update.quote) : update.problem.message;
        if (text !== last && !signal.aborted) yield update;
        last = text;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}

async function answerTo(quote: () => Promise<RouteQuote>): Promise<QuoteUpdate> {
  try {
    return { kind: "quote", quote: await quote() };
  } catch (error) {
    if (error instanceof MillraceError && PASSING.has(error.code)) {
      return { kind: "problem", problem: error };
    }
    throw error;
  }
}

/** The block and the impact are of the answer, and not the answer. */
const routeText = ({ amountIn, amountOut, steps }: RouteQuote): string =>
  [
    amountIn,
    amountOut,
    ...steps.flatMap(({ pool, tokenIn, tokenOut, ...step }) => [
      ...[pool, tokenIn, tokenOut, step.amountIn, step.amountOut],
    ]),
  ].join();

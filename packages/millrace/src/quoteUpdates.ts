import type { AppliedBlock } from "@millrace/core";
import type { QuoteUpdate } from "./answers.ts";
import { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
import type { RouteQuote } from "./RouteQuote.ts";

/** Problems that another block may end. */
const PASSING: ReadonlySet<MillraceErrorCode> = new Set<MillraceErrorCode>([
  "NO_ROUTE",
  "AMOUNT_TOO_SMALL",
  "INSUFFICIENT_LIQUIDITY",
  "UNKNOWN_TOKEN",
  "UNKNOWN_POOL",
  "NO_ROUTER",
  "NOT_READY",
]);

/**
 * Updates, each different from the one before, until one of the signals; blocks may be skipped.
 * Unlike with a plain generator, `return` ends it even while `next` waits for a block.
 */
export function quoteUpdates(
  quote: () => Promise<RouteQuote>,
  onApplied: (listener: (block: AppliedBlock) => void) => () => void,
  signals: ReadonlyArray<AbortSignal>,
): AsyncGenerator<QuoteUpdate, void, void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([...signals, ended.signal]);
  const updates = readUpdates(quote, onApplied, signal);
  const end = <A>(then: () => A): A => {
    ended.abort();
    return then();
  };
  return {
    next: () => updates.next(),
    return: () => end(() => updates.return()),
    throw: (error) => end(() => updates.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await end(() => updates.return());
    },
  };
}

async function* readUpdates(
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
        const update = await answerTo(quote, signal);
        if (update === undefined) return;
        const text = update.kind === "quote" ? routeText(update.quote) : update.problem.message;
        if (text !== last) yield update;
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

/** Undefined after the signal. */
async function answerTo(
  quote: () => Promise<RouteQuote>,
  signal: AbortSignal,
): Promise<QuoteUpdate | undefined> {
  try {
    const found = await quote();
    return signal.aborted ? undefined : { kind: "quote", quote: found };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof MillraceError && PASSING.has(error.code)) {
      return { kind: "problem", problem: error };
    }
    throw error;
  }
}

/** Without the block and the price impact: a change of these alone is no new answer. */
const routeText = ({ amountIn, amountOut, steps }: RouteQuote): string =>
  [
    amountIn,
    amountOut,
    ...steps.flatMap(({ pool, tokenIn, tokenOut, ...step }) => [
      ...[pool, tokenIn, tokenOut, step.amountIn, step.amountOut],
    ]),
  ].join();

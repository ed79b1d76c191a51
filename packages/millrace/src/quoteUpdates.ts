import type { AppliedBlock } from "@millrace/core";
import type { QuoteUpdate } from "./answers.ts";
import { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
import type { RouteQuote } from "./RouteQuote.ts";

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

/**
 * Answers, each that differs from the one before, until one of the signals; blocks may pass unseen.
 * Unlike a plain generator, `return` ends it while `next` still waits for a block.
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

/** Undefined where nobody wants it any more. */
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

/** The block and the impact are of the answer, and not the answer. */
const routeText = ({ amountIn, amountOut, steps }: RouteQuote): string =>
  [
    amountIn,
    amountOut,
    ...steps.flatMap(({ pool, tokenIn, tokenOut, ...step }) => [
      ...[pool, tokenIn, tokenOut, step.amountIn, step.amountOut],
    ]),
  ].join();

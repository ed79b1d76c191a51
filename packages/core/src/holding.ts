import { channel } from "node:diagnostics_channel";

/** Causes that may hold a thread's event loop for a while; see `docs/operating.md`. */
export type HoldCause =
  | "answers"
  | "block"
  | "bounds"
  | "evaluation"
  | "history"
  | "lists"
  | "saving"
  | "search"
  | "sending"
  | "swap"
  | "valuation";

/** A piece of work that ran without a break, less the pieces within it that were published too. */
export interface Held {
  readonly cause: HoldCause;
  readonly ms: number;
}

/** The diagnostics channel where every piece is published, at its end, as `Held`. */
export const HOLDS_CHANNEL = "millrace:holds";

const holds = channel(HOLDS_CHANNEL);
/** Milliseconds of pieces within the current one. */
let innerMs = 0;

/** Runs a piece of work, and publishes how long it took if anyone listens. */
export function holding<A>(cause: HoldCause, run: () => A): A {
  if (!holds.hasSubscribers) return run();
  const outerInnerMs = innerMs;
  innerMs = 0;
  const beganMs = performance.now();
  try {
    return run();
  } finally {
    const ms = performance.now() - beganMs;
    holds.publish({ cause, ms: ms - innerMs } satisfies Held);
    innerMs = outerInnerMs + ms;
  }
}

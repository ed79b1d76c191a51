import { channel } from "node:diagnostics_channel";

/** What may hold a thread's event loop for a while; see `docs/operating.md`. */
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

/** A piece of work that ran at a stretch, less the pieces within it that told of themselves. */
export interface Held {
  readonly cause: HoldCause;
  readonly ms: number;
}

/** Where every piece is told, at its end, as `Held`. */
export const HOLDS_CHANNEL = "millrace:holds";

const holds = channel(HOLDS_CHANNEL);
/** Of pieces within the one that runs. */
let innerMs = 0;

/** Runs a piece of work, and tells how long it took if anybody listens. */
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

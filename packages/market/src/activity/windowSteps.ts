import { WINDOWS } from "./TradedBlock.ts";

/** Windows roll by this much of the chain's time. */
const STEP_MS = 10_000;

/** Number of steps in each window; the newest step contains the newest block. */
export const WINDOW_STEPS: ReadonlyArray<number> = WINDOWS.map(
  ({ seconds }) => (seconds * 1_000) / STEP_MS,
);

export const LONGEST_WINDOW_STEPS = Math.max(...WINDOW_STEPS);

/** Less than 2^32 - 1. */
export const STEP_MAX = 2 ** 32 - 2;

/** The step of a moment; invalid times are in step 0. */
export function stepOf(timestampMs: number): number {
  const step = Math.floor(timestampMs / STEP_MS);
  return step > 0 && step <= STEP_MAX ? step : 0;
}

export function startOfStepMs(step: number): number {
  return step * STEP_MS;
}

/** The shortest window, of those that end with `end`, that contains a step; -1 when none does. */
export function shortestWindow(step: number, end: number): number {
  const age = end - step;
  return age < 0 ? -1 : WINDOW_STEPS.findIndex((steps) => age < steps);
}

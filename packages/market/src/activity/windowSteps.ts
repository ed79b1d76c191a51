import { WINDOWS } from "./TradedBlock.ts";

/** Windows roll by so much of the chain's time. */
const STEP_MS = 10_000;

/** Steps in each window; the newest is the one that the newest block is in. */
export const WINDOW_STEPS: ReadonlyArray<number> = WINDOWS.map(
  ({ seconds }) => (seconds * 1_000) / STEP_MS,
);

export const LONGEST_WINDOW_STEPS = Math.max(...WINDOW_STEPS);

/** Less than 2^32 - 1. */
export const STEP_MAX = 2 ** 32 - 2;

/** The step that a moment is in; times that are none stand in step 0. */
export function stepOf(timestampMs: number): number {
  const step = Math.floor(timestampMs / STEP_MS);
  return step > 0 && step <= STEP_MAX ? step : 0;
}

export function startOfStepMs(step: number): number {
  return step * STEP_MS;
}

/** The shortest of the windows that end with a step, in which another one is; -1 when none is. */
export function shortestWindow(step: number, end: number): number {
  const age = end - step;
  return age < 0 ? -1 : WINDOW_STEPS.findIndex((steps) => age < steps);
}

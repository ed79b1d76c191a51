import { setTimeout as pause } from "node:timers/promises";
import { TestRunner } from "vitest";

/** Events come within milliseconds; this allows for a machine that does ten things at once. */
const PATIENCE_MS = 60_000;
/**
 * Waiting ends so long before the test's own time limit, so that the error names the waiting line.
 */
const RESERVE_MS = 2_000;
/** Pauses grow: an attempt may be a request, and what takes seconds needs no hundreds of them. */
const PAUSE_MS_MIN = 5;
const PAUSE_MS_MAX = 100;

/**
 * Repeats `attempt` until it gives a value, as long as the test may take. Otherwise throws just
 * before that, from the waiting line.
 */
export async function eventually<A>(attempt: () => A | Promise<A>): Promise<NonNullable<A>> {
  const test = TestRunner.getCurrentTest();
  const startMs = test?.result?.startTime ?? Number.POSITIVE_INFINITY;
  const endMs = startMs + (test?.timeout ?? 0) - RESERVE_MS;
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(1.5 * pauseMs, PAUSE_MS_MAX)) {
    const value = await attempt();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<A>;
    if (Date.now() > endMs) throw new Error("never came");
    await pause(pauseMs);
  }
}

/** Waits until `isSo`; otherwise throws with the obstacle. */
export async function until(isSo: () => boolean, obstacle: () => string): Promise<void> {
  const start = performance.now();
  while (!isSo()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`never came: ${obstacle()}`);
    await pause(2);
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { TestRunner } from "vitest";

/** What is waited for comes in milliseconds; this is for a machine that does ten things at once. */
const PATIENCE_MS = 60_000;
/** What is given up so long before the test's own time limit names the line that waited. */
const RESERVE_MS = 2_000;

/**
 * Repeats until it gives a value, as long as the test may take. What never comes throws just before
 * that, from the line that waits for it.
 */
export async function eventually<A>(attempt: () => A | Promise<A>): Promise<NonNullable<A>> {
  const test = TestRunner.getCurrentTest();
  const startMs = test?.result?.startTime ?? Number.POSITIVE_INFINITY;
  const endMs = startMs + (test?.timeout ?? 0) - RESERVE_MS;
  for (;;) {
    const value = await attempt();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<A>;
    if (Date.now() > endMs) throw new Error("never came");
    await pause(20);
  }
}

/** Waits for something that has to come; throws, with what stands in the way, when it does not. */
export async function until(isSo: () => boolean, obstacle: () => string): Promise<void> {
  const start = performance.now();
  while (!isSo()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`never came: ${obstacle()}`);
    await pause(2);
  }
}

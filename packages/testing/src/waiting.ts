import { setTimeout as pause } from "node:timers/promises";

/** What is waited for comes in milliseconds; this is for a machine that does ten things at once. */
const PATIENCE_MS = 60_000;

/** Repeats until it gives a value; the test's own time limit is the only one. */
export async function eventually<A>(attempt: () => A | Promise<A>): Promise<NonNullable<A>> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<A>;
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

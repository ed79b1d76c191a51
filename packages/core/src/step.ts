import { channel } from "node:diagnostics_channel";

/** A step of a block or of a request, as in traces; see `docs/operating.md`. */
export type StepName = "apply" | "block" | "decode" | "encode" | "notify" | "review" | "search";

/** A finished step, with times of `performance.now()`. */
export interface TakenStep {
  readonly name: StepName;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The error that it threw, if any. */
  readonly fault?: unknown;
  /** The block of a step for a block. */
  readonly block?: { readonly chainId: number; readonly number: number };
}

/**
 * The diagnostics channel where every step is published at its end, as `TakenStep`; inner steps
 * come first.
 */
export const STEPS_CHANNEL = "millrace:steps";

const steps = channel(STEPS_CHANNEL);

/** Runs a synchronous piece of work, and publishes it as a step if anyone listens. */
export function step<A>(name: StepName, run: () => A, block?: TakenStep["block"]): A {
  if (!steps.hasSubscribers) return run();
  const about = block === undefined ? {} : { block };
  const beganMs = performance.now();
  let result: A;
  try {
    result = run();
  } catch (fault) {
    steps.publish({
      name,
      beganMs,
      endedMs: performance.now(),
      fault,
      ...about,
    } satisfies TakenStep);
    throw fault;
  }
  steps.publish({ name, beganMs, endedMs: performance.now(), ...about } satisfies TakenStep);
  return result;
}

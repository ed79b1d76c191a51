import { channel } from "node:diagnostics_channel";

/** A step of a block or of a request, as traces have it; see `docs/operating.md`. */
export type StepName = "apply" | "block" | "decode" | "encode" | "notify" | "review" | "search";

/** A step that was taken: times are those of `performance.now()`. */
export interface TakenStep {
  readonly name: StepName;
  readonly beganMs: number;
  readonly endedMs: number;
  /** What it threw, where it did. */
  readonly fault?: unknown;
  /** Of a block: what it is. */
  readonly block?: { readonly chainId: number; readonly number: number };
}

/** Where every step is told at its end, those within it before it, as `TakenStep`. */
export const STEPS_CHANNEL = "millrace:steps";

const steps = channel(STEPS_CHANNEL);

/** Runs a synchronous piece of work, and tells of it as a step if anybody listens. */
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

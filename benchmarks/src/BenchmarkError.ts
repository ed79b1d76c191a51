import { Data, Effect } from "effect";

/** Why a benchmark has no figures; the message is for a person. */
export class BenchmarkError extends Data.TaggedError("BenchmarkError")<{
  readonly message: string;
  /** 2: wrong usage; 1: anything else. */
  readonly exitCode?: 1 | 2;
}> {}

/** Runs `work`; the error's message says why it failed. */
export function attempt<A>(work: () => Promise<A>): Effect.Effect<A, BenchmarkError> {
  return Effect.tryPromise({
    try: work,
    catch: (cause) => {
      if (cause instanceof BenchmarkError) return cause;
      return new BenchmarkError({
        message: cause instanceof Error ? cause.message : String(cause),
      });
    },
  });
}

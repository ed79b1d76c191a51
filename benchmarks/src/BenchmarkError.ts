import { Data, Effect } from "effect";

/** Why there are no figures, for a person to read. */
export class BenchmarkError extends Data.TaggedError("BenchmarkError")<{
  readonly message: string;
  /** 2: wrong usage; 1: anything else. */
  readonly exitCode?: 1 | 2;
}> {}

/** A promise's work; why it failed is the error's message. */
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

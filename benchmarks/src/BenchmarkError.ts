import { Data } from "effect";

/** Why there are no figures, for a person to read. */
export class BenchmarkError extends Data.TaggedError("BenchmarkError")<{
  readonly message: string;
  /** 2: wrong usage; 1: anything else. */
  readonly exitCode?: 1 | 2;
}> {}

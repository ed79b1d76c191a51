import { Effect } from "effect";
import type { Condition } from "./Following.ts";

/** Counts and logs a fault of our own, and lets what it happened in go on: a source never ends. */
export const noteDefect =
  (condition: Condition, doing: string) =>
  (defect: unknown): Effect.Effect<void> => {
    condition.defects++;
    return Effect.logError(`a fault while ${doing}`, defect);
  };

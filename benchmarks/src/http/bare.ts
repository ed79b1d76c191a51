import { Effect, type Scope } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { startChild } from "../children.ts";
import { listening } from "./listening.ts";

/** Starts a bare server to compare with, until the scope closes; gives its address. */
export const startBareServer = (
  program: string,
  answerFile: string,
): Effect.Effect<string, BenchmarkError, Scope.Scope> =>
  Effect.flatMap(
    startChild(process.execPath, [program, answerFile], { stdio: ["pipe", "pipe", "pipe"] }),
    listening,
  );

import { fileURLToPath } from "node:url";
import type { Effect } from "effect";
import type { BenchmarkError } from "./BenchmarkError.ts";
import { runChild } from "./children.ts";

/** The project's folder. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** The output of git in the project's folder. */
export function git(args: ReadonlyArray<string>): Effect.Effect<string, BenchmarkError> {
  return runChild("git", args, { cwd: ROOT });
}

import { fileURLToPath } from "node:url";
import { Effect, type Scope } from "effect";
import type { BenchmarkError } from "../BenchmarkError.ts";
import { startChild } from "../children.ts";
import { listening } from "./listening.ts";

const BARE_SERVER = fileURLToPath(new URL("./bareServer.ts", import.meta.url));

/** The server to compare with, until the scope closes; gives its address. */
export const startBareServer = (
  answerFile: string,
): Effect.Effect<string, BenchmarkError, Scope.Scope> =>
  Effect.flatMap(
    startChild(process.execPath, [BARE_SERVER, answerFile], { stdio: ["pipe", "pipe", "pipe"] }),
    listening,
  );

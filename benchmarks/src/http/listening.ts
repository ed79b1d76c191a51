import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Effect } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";

const LINE = /listens on (http:\/\/\S+)/;
const ERRORS_KEPT = 4_000; // characters
const START_MS_MAX = 60_000;

/**
 * The address that a server prints once it listens. Fails when the server ends before, or prints
 * nothing in time.
 */
export function listening(child: ChildProcess): Effect.Effect<string, BenchmarkError> {
  return Effect.callback((resume) => {
    let errors = "";
    const fail = (what: string) => {
      clearTimeout(limit);
      resume(Effect.fail(new BenchmarkError({ message: `a server ${what}\n${errors}` })));
    };
    const limit = setTimeout(() => fail("did not say where it listens"), START_MS_MAX);
    child.once("exit", (code, signal) => fail(`ended (${code ?? signal})`));
    child.stderr!.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-ERRORS_KEPT);
    });
    // Both streams are read to their ends: a full pipe would stop the server.
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const url = LINE.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(limit);
      resume(Effect.succeed(url));
    });
  });
}

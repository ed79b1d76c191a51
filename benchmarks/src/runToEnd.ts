import { Cause, Effect, Exit } from "effect";
import { BenchmarkError } from "./BenchmarkError.ts";

/** Runs a program as the process: a signal interrupts it, and it ends its children. */
export async function runToEnd(program: Effect.Effect<void, BenchmarkError>): Promise<void> {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => controller.abort());
  }
  const exit = await Effect.runPromiseExit(program, { signal: controller.signal });
  process.exitCode = Exit.isSuccess(exit) ? 0 : explain(exit.cause);
}

/** Says on standard error what went wrong, and gives the exit code. */
function explain(cause: Cause.Cause<BenchmarkError>): number {
  if (Cause.hasInterruptsOnly(cause)) return 130;
  const error = Cause.squash(cause);
  if (error instanceof BenchmarkError) {
    process.stderr.write(`benchmarks: ${error.message}\n`);
    return error.exitCode ?? 1;
  }
  process.stderr.write(`${Cause.pretty(cause)}\n`);
  return 1;
}

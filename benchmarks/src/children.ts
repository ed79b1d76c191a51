import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, type Scope } from "effect";
import { BenchmarkError } from "./BenchmarkError.ts";

const GRACE_MS = 10_000;

/** A process that ends with the scope: by SIGTERM, or by SIGKILL if it takes too long. */
export const startChild = (
  command: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions,
): Effect.Effect<ChildProcess, BenchmarkError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ChildProcess, BenchmarkError>((resume) => {
      const child = spawn(command, args, options);
      child.once("spawn", () => resume(Effect.succeed(child)));
      child.once("error", ({ message }) => resume(Effect.fail(new BenchmarkError({ message }))));
    }),
    (child) => Effect.promise(() => end(child)),
  );

/** The standard output of a command. Fails when its exit code is not 0. */
export const runChild = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string } = {},
): Effect.Effect<string, BenchmarkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = yield* startChild(command, args, {
        ...options,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [output, code] = yield* Effect.promise(() => outputOf(child));
      if (code === 0) return output;
      const message = `${command} ${args.join(" ")}: ended with ${code}`;
      return yield* new BenchmarkError({ message });
    }),
  );

/** An empty folder; it is removed with the scope, together with everything in it. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "millrace-benchmarks-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
);

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const killing = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await exit;
  clearTimeout(killing);
}

async function outputOf(child: ChildProcess): Promise<[output: string, code: number | string]> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return [Buffer.concat(chunks).toString(), code ?? signal ?? "no exit code"];
}

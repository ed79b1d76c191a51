import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Effect, type Scope } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { startChild } from "../children.ts";
import { listening } from "../http/listening.ts";
import { COLLECT, type ProcessReport } from "./probe.ts";

const SERVICE = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url));
const PROBE = new URL("./probe.ts", import.meta.url);
const READY_MS_MAX = 60_000;
const ASK_EVERY_MS = 10;
const NODE_OPTIONS = ["--disable-warning=ExperimentalWarning"];

/** A server in a process of its own, which reports its resources. */
export interface Server {
  readonly url: string;
  readonly port: number;
  readonly report: Effect.Effect<ProcessReport, BenchmarkError>;
  /** Bytes of the heap and of external memory, after a full collection; of a service only. */
  readonly kept: Effect.Effect<number, BenchmarkError>;
}

/** The real service with a configuration file, ready, until the scope closes; see `probe.ts`. */
export const startProbedService = (
  configuration: string,
): Effect.Effect<Server, BenchmarkError, Scope.Scope> =>
  Effect.gen(function* () {
    const args = ["--expose-gc", "--import", PROBE.href, SERVICE];
    const server = yield* startServer(args, { MILLRACE_CONFIG: configuration });
    yield* attempt(() => becomeReady(server.url));
    return server;
  });

/** Starts a server program, until the scope closes. */
export const startServer = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Effect.Effect<Server, BenchmarkError, Scope.Scope> =>
  Effect.gen(function* () {
    const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("MILLRACE_"));
    const child = yield* startChild(process.execPath, [...NODE_OPTIONS, ...args], {
      env: { ...Object.fromEntries(ours), ...environment, HOST: "127.0.0.1", PORT: "0" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const url = yield* listening(child);
    const report = ask<ProcessReport>(child, "report");
    const kept = ask<number>(child, COLLECT);
    return { url, port: Number(new URL(url).port), report, kept };
  });

/** Starts a program of clients, until the scope closes. */
export const startClients = (
  program: string,
  numbers: ReadonlyArray<number>,
): Effect.Effect<ChildProcess, BenchmarkError, Scope.Scope> =>
  startChild(process.execPath, [...NODE_OPTIONS, program, ...numbers.map(String)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });

/** A process's answer to a message. Fails when the process ends first. */
export const ask = <A>(
  child: ChildProcess,
  message: string | object,
): Effect.Effect<A, BenchmarkError> => nextMessageOf(child, () => void child.send(message));

/** The next message of a process. Fails when the process ends first. */
export const nextMessage = <A>(child: ChildProcess): Effect.Effect<A, BenchmarkError> =>
  nextMessageOf(child, () => {});

/** Listens before it calls `begin`, so that it misses no answer. */
const nextMessageOf = <A>(
  child: ChildProcess,
  begin: () => void,
): Effect.Effect<A, BenchmarkError> =>
  Effect.callback((resume) => {
    const finish = (result: Effect.Effect<A, BenchmarkError>) => {
      child.off("message", heard).off("exit", ended);
      resume(result);
    };
    const heard = (message: unknown) => finish(Effect.succeed(message as A));
    const ended = () => {
      const message = `a process ended (${child.exitCode ?? child.signalCode})`;
      finish(Effect.fail(new BenchmarkError({ message })));
    };
    child.on("message", heard).on("exit", ended);
    if (child.exitCode !== null || child.signalCode !== null) ended();
    else begin();
  });

/** A promise whose failure is for a person to read. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, BenchmarkError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new BenchmarkError({ message: cause instanceof Error ? cause.message : String(cause) }),
  });

async function becomeReady(url: string): Promise<void> {
  const end = performance.now() + READY_MS_MAX;
  while ((await fetch(`${url}/health/ready`)).status !== 200) {
    if (performance.now() > end) throw new Error("the service does not become ready");
    await setTimeout(ASK_EVERY_MS);
  }
}

import { get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Effect, type Scope } from "effect";
import { BenchmarkError } from "../BenchmarkError.ts";
import { startChild } from "../children.ts";
import { UNIVERSE_FILE } from "../market.ts";
import { listening } from "./listening.ts";

const RUN = fileURLToPath(new URL("../../../run.mjs", import.meta.url));
const SERVICE = "apps/server/src/main.ts";
const READY_MS_MAX = 60_000;
const ASK_EVERY_MS = 2;

/** Environment variables that configure a service. */
type ServiceEnvironment = Readonly<Record<string, string>>;

/** The real pools, recorded. */
export const RECORDED: ServiceEnvironment = { MILLRACE_MARKET_FILE: UNIVERSE_FILE };

/**
 * Starts the real service as `npm start` does, and waits until it is ready; it ends with the scope.
 * Gives its address.
 */
export const startService = (
  environment: ServiceEnvironment,
): Effect.Effect<string, BenchmarkError, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* startChild(process.execPath, [RUN, SERVICE], {
      env: withOurs(environment),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = yield* listening(child);
    yield* Effect.tryPromise({
      try: () => becomeReady(url),
      catch: (cause) => new BenchmarkError({ message: String(cause) }),
    });
    return url;
  });

/** Milliseconds from the start of the service's process until it says that it is ready. */
export const timeStart = (environment: ServiceEnvironment): Effect.Effect<number, BenchmarkError> =>
  Effect.scoped(
    Effect.suspend(() => {
      const start = performance.now();
      return Effect.map(startService(environment), () => performance.now() - start);
    }),
  );

/** Our environment, with this configuration in place of our own. */
function withOurs(environment: ServiceEnvironment): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("MILLRACE_"));
  return { ...Object.fromEntries(ours), ...environment, HOST: "127.0.0.1", PORT: "0" };
}

export async function becomeReady(url: string): Promise<void> {
  const end = performance.now() + READY_MS_MAX;
  while ((await statusOf(`${url}/health/ready`)) !== 200) {
    if (performance.now() > end) throw new Error("the service does not become ready");
    await setTimeout(ASK_EVERY_MS);
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    }).once("error", reject);
  });
}

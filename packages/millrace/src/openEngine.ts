import { MarketSourceError } from "@millrace/core";
import {
  BlockSteps,
  ConfigError,
  checkedConfig,
  logTo,
  Network,
  type NetworkMarket,
  openNetwork,
} from "@millrace/server";
import { Cause, Effect, Exit, Formatter, Logger, Scope } from "effect";
import { MillraceEngine } from "./MillraceEngine.ts";
import { invalidCall, MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
import type { OpenOptions } from "./OpenOptions.ts";
import { readArguments, reading } from "./readArguments.ts";
import { settingsOf } from "./settingsOf.ts";

const TIMEOUT_MS = 60_000;
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const LOOK_MS = 10;

/**
 * Opens a market in this process, and follows it until `close`. Resolves when quotes can be relied
 * on; otherwise rejects, within the time-out, with a MillraceError that says why.
 *
 * @example
 * const engine = await openEngine({ network: "BASE", rpcUrls: ["https://node.example"] })
 * const quote = await engine.quote({ tokenIn: "WETH", tokenOut: "USDC", amountIn: 10n ** 18n })
 */
export async function openEngine(options: OpenOptions): Promise<MillraceEngine> {
  const { timeoutMs = TIMEOUT_MS, signal, log, ...market } = readOptions(options);
  const { file, environment } = reading(() => settingsOf(market));
  const scope = Scope.makeUnsafe();
  let network: Network | undefined;
  const opening = Effect.gen(function* () {
    const config = yield* checkedConfig(file, environment);
    network = new Network(config.networks[0]);
    const steps = "asOf" in market ? new BlockSteps() : undefined;
    const opened = yield* openNetwork(network, config, timeoutMs, steps);
    yield* untilReady(network);
    yield* Effect.forkIn(tellFailure(network, opened), scope);
    const step = steps && (() => stepped(steps, opened));
    return new MillraceEngine(network, opened, scope, step);
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs + GRACE_MS,
      orElse: () => Effect.fail(notOpen(timeoutMs, network?.obstacle(Date.now()))),
    }),
    Scope.provide(scope),
    Effect.provide(log === undefined ? Logger.layer([]) : logTo(log)),
  );
  const exit = await Effect.runPromiseExit(opening, signal === undefined ? {} : { signal });
  if (Exit.isSuccess(exit)) return exit.value;
  await Effect.runPromise(Scope.close(scope, Exit.void));
  if (signal?.aborted === true) {
    throw new MillraceError("ABORTED", "opening was aborted", { cause: signal.reason });
  }
  throw whyNot(exit.cause, timeoutMs);
}

/** Extra time in which whoever knows why no block came can say so. */
const GRACE_MS = 500;

const NAMES = [
  ...(["network", "rpcUrls", "marketFile", "asOf", "devnet", "config"] as const),
  ...(["timeoutMs", "signal", "log", "dataDirectory", "searchWorkers"] as const),
] as const;

/** Reads each option once; others check what they mean. */
function readOptions(given: OpenOptions): OpenOptions {
  const options = readArguments(given, NAMES, "options") as OpenOptions;
  const { timeoutMs = TIMEOUT_MS, signal, log } = options;
  if (!(typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) {
    throw invalidCall(`timeoutMs: expected 1 to ${TIMEOUT_MAX_MS}`);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalidCall("signal: expected an AbortSignal");
  }
  if (log !== undefined && typeof log !== "function") throw invalidCall("log: expected a function");
  const origins = ["rpcUrls", "marketFile", "asOf", "devnet", "config"].filter(
    (name) => name in options,
  );
  if (origins.length === 1) return options;
  throw invalidCall("expected one of network with rpcUrls, marketFile, asOf, devnet, and config");
}

/** After a source ended, the market cannot be relied on. */
const tellFailure = (network: Network, { engine }: NetworkMarket): Effect.Effect<void> =>
  Effect.catchCause(engine.sourceFailure, (cause) =>
    Effect.sync(() => {
      if (Cause.hasInterruptsOnly(cause)) return;
      const error = Cause.squash(cause);
      const reason = error instanceof MarketSourceError ? `${error.reason} market` : undefined;
      network.failed(reason ?? "the market failed");
    }),
  );

/** The next block; rejects where the source fails. */
const stepped = (steps: BlockSteps, { engine }: NetworkMarket) =>
  steps.next(engine).catch((error) => {
    throw error instanceof MarketSourceError ? marketError(error) : error;
  });

const untilReady = (network: Network): Effect.Effect<void> =>
  Effect.suspend(() =>
    network.obstacle(Date.now()) === undefined
      ? Effect.void
      : Effect.andThen(Effect.sleep(LOOK_MS), untilReady(network)),
  );

const CODES: Readonly<Record<MarketSourceError["reason"], MillraceErrorCode>> = {
  Unreadable: "UNREADABLE_MARKET",
  Malformed: "UNREADABLE_MARKET",
  WrongChain: "UNREADABLE_MARKET",
  TimedOut: "TIMED_OUT",
  NotRecorded: "NOT_RECORDED",
};

const marketError = ({ reason, source, detail }: MarketSourceError): MillraceError =>
  new MillraceError(CODES[reason], `${source}: ${detail}`);

const notOpen = (timeoutMs: number, obstacle = "starting"): MillraceError =>
  new MillraceError("TIMED_OUT", `not open within ${timeoutMs} ms: ${obstacle}`);

function whyNot(cause: Cause.Cause<unknown>, timeoutMs: number): MillraceError {
  const error = Cause.squash(cause);
  if (error instanceof MillraceError) return error;
  if (error instanceof ConfigError) return new MillraceError("INVALID_CONFIG", error.message);
  if (error instanceof MarketSourceError) return marketError(error);
  const words = error instanceof Error ? error.message : Formatter.format(error);
  return new MillraceError("INTERNAL", `not opened within ${timeoutMs} ms: ${words}`, {
    cause: error,
  });
}

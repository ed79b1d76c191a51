import type { CycleJson } from "@millrace/api";
import type { BlockStamp } from "@millrace/core";
import { Context, Effect, Exit, Layer, Scope } from "effect";
import { HttpServer } from "effect/http";
import { cycleBody } from "./caches/FoundCycles.ts";
import { loadConfig } from "./config/loadConfig.ts";
import type { ServerConfig } from "./config/ServerConfig.ts";
import { type LogListener, logTo } from "./logging.ts";
import { BlockSteps } from "./networks/BlockSteps.ts";
import type { Network } from "./networks/Network.ts";
import { Networks } from "./networks/Networks.ts";
import { progressText } from "./networks/showProgress.ts";
import { server } from "./server.ts";

/** The options of `openService`. */
export interface OpenServiceOptions {
  /** As in a configuration file; they override those of MILLRACE_CONFIG. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The only network that is opened, by its id or chain id; without it the first. */
  readonly network?: string | undefined;
  /** Waits until the past is known, too. */
  readonly withPast?: boolean | undefined;
  /** Holds a recorded market at its first block, until `nextBlock`. */
  readonly stepped?: boolean | undefined;
  readonly log: LogListener;
  /** Called ten times a second while the service opens, with what it is at. */
  readonly onProgress: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A service in this process, for its caller alone; its network can answer at once. */
export interface OpenedService {
  /** The service's URL, on the loopback interface, with a free port. */
  readonly url: string;
  /** Profitable round trips from a token through 2 to `maxHops` pools, the best first. */
  readonly cycles: (token: string, maxHops: number) => ReadonlyArray<CycleJson>;
  /** The block that its market opened with. */
  readonly firstBlock: AppliedHeader;
  /** The next block of a stepped market once it is applied; undefined after the last. */
  readonly nextBlock: () => Promise<AppliedHeader | undefined>;
  readonly close: () => Promise<void>;
}

export interface AppliedHeader {
  readonly blockNumber: string;
  readonly blockHash: string;
  /** Unix epoch milliseconds. */
  readonly timestamp: number;
  readonly poolsChanged: number;
}

/** Why a service did not open. */
export class OpeningError extends Error {
  readonly kind: "misconfigured" | "failed" | "unreachable";

  constructor(kind: OpeningError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

const LOOK_MS = 100;
/** Opening is given up after so long without progress; without any endpoint much earlier. */
const STILL_MS = 120_000;
const CUT_OFF_MS = 10_000;

/**
 * Starts the service in this process and resolves once its network can be relied on. Rejects with
 * an OpeningError, or with the reason of the signal; then the service is closed.
 */
export async function openService(options: OpenServiceOptions): Promise<OpenedService> {
  const { signal } = options;
  const scope = Scope.makeUnsafe();
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
  const steps = options.stepped === true ? new BlockSteps() : undefined;
  const started = Effect.gen(function* () {
    const config = yield* ownConfig(options);
    const context = yield* Layer.buildWithScope(server(config, steps), scope);
    const { address } = Context.get(context, HttpServer.HttpServer);
    const network = Context.get(context, Networks).primary;
    yield* Effect.promise((aborted) => untilReady(network, options, aborted));
    return { url: HttpServer.formatAddress(address), network };
  }).pipe(Effect.provide(logTo(options.log)));
  try {
    const { url, network } = await Effect.runPromise(started, signal && { signal });
    return {
      url,
      cycles: (token, maxHops) => cyclesOf(network, token, maxHops),
      firstBlock: headerOf(network.market!.engine.graph.stamp, 0),
      nextBlock: async () => {
        const block = await steps!.next(network.market!.engine);
        return block && headerOf(block.stamp, new Set(block.changedPools).size);
      },
      close,
    };
  } catch (cause) {
    await close();
    throw whyNot(cause);
  }
}

/** The configuration of one network, for one client of this process. */
const ownConfig = Effect.fnUntraced(function* ({
  settings,
  environment,
  network = "",
}: OpenServiceOptions) {
  const config = yield* loadConfig(environment, settings);
  const { operations: _, ...rest } = config;
  const wanted = network.toUpperCase();
  const found = config.networks.find(
    ({ id, chainId }) => wanted === "" || id === wanted || String(chainId) === wanted,
  );
  if (found === undefined) {
    const ids = config.networks.map(({ id }) => id).join(", ");
    return yield* Effect.die(new OpeningError("failed", `no network ${network}: there are ${ids}`));
  }
  return {
    ...rest,
    ...{ host: "127.0.0.1", port: 0, corsOrigins: [], networks: [found] },
    ...{ readinessDelayMs: 0, gracePeriodMs: 0, searchWorkers: 0, servingThreads: 1 },
    limits: { keys: [], trustedProxies: [], shedding: false, waitMs: rest.limits.waitMs },
    // The caller shows the progress.
    logFormat: "json",
  } satisfies ServerConfig;
});

async function untilReady(
  network: Network,
  { onProgress, withPast = false }: OpenServiceOptions,
  aborted: AbortSignal,
): Promise<void> {
  let previous = "";
  let movedMs = performance.now();
  while (!aborted.aborted) {
    if (network.failure !== undefined) throw new OpeningError("failed", network.failure);
    const text = standing(network, withPast);
    if (text === undefined) return;
    const nowMs = performance.now();
    // The growing age of the newest block is no progress.
    const what = network.progress === undefined ? text.replace(/\d+/g, "") : text;
    if (what !== previous) movedMs = nowMs;
    previous = what;
    const stillMs = nowMs - movedMs;
    if (stillMs > (text.endsWith("no endpoint answers") ? CUT_OFF_MS : STILL_MS))
      throw new OpeningError("unreachable", `${network.config.id} does not open: ${text}`);
    onProgress(`${network.config.id}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** What the network is at; undefined once nothing is missing. */
function standing(network: Network, withPast: boolean): string | undefined {
  const obstacle = network.obstacle(Date.now());
  if (obstacle !== undefined) return progressText(network.progress) ?? obstacle;
  const isPastKnown = network.history?.isComplete ?? true;
  return withPast && !isPastKnown ? "reading the past" : undefined;
}

function cyclesOf(network: Network, token: string, maxHops: number): CycleJson[] {
  const { engine, texts } = network.market!;
  const index = engine.graph.findToken(token);
  if (index === undefined) return [];
  return engine.cycles(index, maxHops).map((cycle) => cycleBody(engine.graph, texts, cycle));
}

const headerOf = (stamp: BlockStamp, poolsChanged: number): AppliedHeader => ({
  ...{ blockNumber: String(stamp.number), blockHash: stamp.hash, timestamp: stamp.timestampMs },
  poolsChanged,
});

function whyNot(cause: unknown): unknown {
  const isConfig = (Object(cause) as { readonly _tag?: unknown })._tag === "ConfigError";
  return isConfig ? new OpeningError("misconfigured", (cause as Error).message) : cause;
}

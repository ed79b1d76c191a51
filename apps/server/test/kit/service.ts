import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Drain } from "@millrace/platform-uws";
import { Effect, Layer, ManagedRuntime } from "effect";
import { HttpServer } from "effect/http";
import { afterAll, beforeAll } from "vitest";
import { loadConfig } from "../../src/config/loadConfig.ts";
import type { ServerConfig } from "../../src/config/ServerConfig.ts";
import { logging } from "../../src/logging.ts";
import { Networks } from "../../src/networks/Networks.ts";
import { server } from "../../src/server.ts";
import { Streams } from "../../src/streaming/Streams.ts";

export const DATA = new URL("../../../../../shared/data/", import.meta.url).pathname;
export const UNIVERSE_A = `${DATA}ethereum-2026-03/universe-a.json`;

export const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
export const USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/**
 * The configuration of an environment, on a free port. Shedding is off, since a test shares the
 * event loop with its service, and the machine with other tests. There are no search threads unless
 * a test needs them: each loads the engine anew.
 */
export const configOf = async (environment: Record<string, string>): Promise<ServerConfig> => {
  const hasFile = environment["MILLRACE_CONFIG"] !== undefined;
  const variables = {
    ...{ PORT: "0", MILLRACE_LOG_LEVEL: "error" },
    ...(!hasFile && { MILLRACE_SEARCH_WORKERS: "0" }),
    ...environment,
  };
  const config = await Effect.runPromise(loadConfig(variables));
  const servingThreads = config.servingThreads === 1 ? SERVING_THREADS : config.servingThreads;
  return { ...config, servingThreads, limits: { ...config.limits, shedding: false } };
};

/** In a long run, several threads serve the service of every test. */
const SERVING_THREADS = Number(process.env["MILLRACE_TEST_SERVING_THREADS"] ?? 1);

/** Starts a service with these settings in a configuration file. */
export async function startConfigured(
  settings: object,
  environment: Record<string, string> = {},
  beside: Layer.Layer<never> = Layer.empty,
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-config-"));
  try {
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ searchWorkers: 0, ...settings }));
    return await startService(await configOf({ MILLRACE_CONFIG: file, ...environment }), beside);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A service on the recorded market, from before the tests of a file until after them. */
export function recordedService(environment: Record<string, string> = {}): Service {
  let started: Service | undefined;
  beforeAll(async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A, ...environment });
    started = await startService(config);
  });
  afterAll(() => started?.stop());
  return new Proxy({} as Service, {
    get: (_, name) => {
      if (started === undefined) throw new Error("the service starts before the tests, not here");
      return started[name as keyof Service];
    },
  });
}

/** A service in this process, with real sockets. */
export interface Service {
  readonly url: string;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  readonly request: (path: string, init: RequestInit) => Promise<Answer>;
  readonly networks: Networks["Service"];
  readonly drain: Drain["Service"];
  readonly streams: Streams["Service"];
  readonly stop: () => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then check.
  readonly json: any;
}

/** Starts a service; resolves when every network can answer or has failed. */
export async function startService(
  config: ServerConfig,
  beside: Layer.Layer<never> = Layer.empty,
): Promise<Service> {
  const runtime = ManagedRuntime.make(
    server(config).pipe(Layer.provide([logging(config), beside])),
  );
  const [address, networks, drain, streams] = await runtime.runPromise(
    Effect.all([HttpServer.HttpServer, Networks, Drain, Streams]),
  );
  const url = HttpServer.formatAddress(address.address);
  while (networks.all.some((network) => network.obstacle(Date.now()) === "starting")) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  return {
    url,
    networks,
    drain,
    streams,
    request,
    get: (path) => request(path, {}),
    post: (path, body) =>
      request(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    stop: () => runtime.dispose(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The issues of a market-data failure. Throws unless it has the exact shape. */
export function issuesOf({ json }: Answer): Array<{ code: string; path: string[] }> {
  const keys = Object.keys(json).join();
  if (keys !== "success,error" || json.success !== false) throw new Error(`no envelope: ${keys}`);
  return JSON.parse(json.error);
}

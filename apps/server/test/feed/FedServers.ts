import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@millrace/devnet";
import { eventually, type RedisServer, ServiceProcess } from "@millrace/testing";
import { networkOn } from "../kit/networkOn.ts";

export type Leads = "whenFree" | "standby" | "never";

interface FedStanding {
  readonly role: string;
  readonly epoch: number;
  readonly sequence: number;
}

export interface FedReadiness {
  readonly ready: boolean;
  readonly reason?: string;
  readonly blockNumber: string | null;
  readonly history?: { readonly complete: boolean };
  readonly feed: FedStanding;
}

/** Services in processes of their own, which share a devnet's market through a Redis server. */
export class FedServers {
  readonly #devnet: Devnet;
  readonly #redis: RedisServer;
  readonly #more: Record<string, unknown>;
  readonly #folder: Promise<string>;
  #count = 0;

  constructor(devnet: Devnet, redis: RedisServer, more: Record<string, unknown> = {}) {
    this.#devnet = devnet;
    this.#redis = redis;
    this.#more = more;
    this.#folder = mkdtemp(join(tmpdir(), "millrace-fed-"));
  }

  /** `port` and `nodePort` replace the ports of Redis and of the node. */
  async start(lead: Leads, port = this.#redis.port, nodePort?: number): Promise<ServiceProcess> {
    const file = join(await this.#folder, `${++this.#count}.json`);
    const by = (text: string): string => {
      const url = new URL(text);
      if (nodePort !== undefined) url.port = String(nodePort);
      return url.href;
    };
    const { rpcUrl, webSocketUrl } = this.#devnet;
    const devnet = { ...this.#devnet, rpcUrl: by(rpcUrl), webSocketUrl: by(webSocketUrl) };
    const settings = {
      searchWorkers: 0,
      limits: { shedding: false },
      feed: {
        url: `redis://127.0.0.1:${port}`,
        name: "test",
        lead,
        silenceMs: 4_000,
        ...this.#more,
      },
      networks: [networkOn(devnet)],
    };
    await writeFile(file, JSON.stringify(settings));
    return new ServiceProcess({
      environment: { MILLRACE_CONFIG: file, MILLRACE_LOG_FORMAT: "json" },
    });
  }

  async remove(): Promise<void> {
    await rm(await this.#folder, { recursive: true });
  }
}

/** The status of a quote, and its text. */
export async function quoteOf(
  server: ServiceProcess,
  tokenA: string,
  tokenB: string,
  amount: bigint,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = JSON.stringify({ tokenA, tokenB, amountIn: String(amount) });
  const headers = { "content-type": "application/json", connection: "close" };
  const url = `${await server.url()}/LOCAL/quote`;
  const response = await fetch(url, { method: "POST", body, headers });
  return { status: response.status, text: await response.text() };
}

export async function readiness(server: ServiceProcess): Promise<FedReadiness> {
  const { text } = await server.get("/health/ready");
  return JSON.parse(text).networks[0];
}

export const untilReady = (
  server: ServiceProcess,
  isSo: (state: FedReadiness) => boolean = () => true,
): Promise<FedReadiness> =>
  eventually(async () => {
    const state = await readiness(server).catch(() => undefined);
    return state?.ready === true && isSo(state) ? state : undefined;
  });

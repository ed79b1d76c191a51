import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SwapTransactions } from "@millrace/api";
import { executorCreationCode } from "@millrace/execution";
import { eventually } from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { Schema } from "effect";
import { expect } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Answer, NATIVE, type Service, startConfigured } from "../kit/service.ts";

/**
 * A chain with our executor and hostile tokens, and no traffic except the test's, so that a quote
 * stays true until it is executed. The node signs for the traders, as a wallet would.
 */
export class SwapChain {
  readonly chain: TestDevnet;
  readonly proxy: Proxy;

  private constructor(chain: TestDevnet, proxy: Proxy) {
    this.chain = chain;
    this.proxy = proxy;
  }

  /** `families` adds DEXes of further families. */
  static async start(families = false): Promise<SwapChain> {
    const chain = await openTestDevnet({
      network: "ETH",
      deploy: ({ wrappedNative }) => [executorCreationCode(wrappedNative)],
      hostileTokens: true,
      families,
    });
    return new SwapChain(chain, await startProxy(chain.devnet.rpcUrl));
  }

  async stop(): Promise<void> {
    this.proxy.stop();
    await this.chain.close();
  }

  get routers() {
    const { contracts, deployed } = this.chain.devnet;
    const { universalRouter: address, permit2 } = contracts;
    const isFollowed = this.chain.devnet.families !== undefined;
    const v4 = isFollowed ? { v4DexId: "UNISWAP_V4" } : {};
    const dexIds = { v2DexId: "UNISWAP_V2", v3DexId: "UNISWAP_V3", ...v4 };
    return {
      executor: deployed[0]!,
      universalRouter: { address, version: "2.0", permit2, ...dexIds },
    };
  }

  /** A ready service on the chain, through the proxy, and on other networks. */
  async serving(
    network: Record<string, unknown> = {},
    others: ReadonlyArray<object> = [],
    limits: object = {},
  ): Promise<Service> {
    const local = networkOn(this.chain.devnet, { routers: this.routers, ...network });
    const [endpoint] = local.source.endpoints;
    const endpoints = [{ ...endpoint, url: this.proxy.url }];
    const networks = [{ ...local, source: { ...local.source, endpoints } }, ...others];
    const started = await startConfigured({ networks, limits });
    await eventually(async () => (await started.get("/health/ready")).status === 200);
    return started;
  }

  /** The same, once both routers are in use. */
  async servingRouters(): Promise<Service> {
    const started = await this.serving();
    await eventually(async () => {
      const { text } = await started.get("/metrics");
      return /router="executor"} 1/.test(text) && /router="universalRouter"} 1/.test(text);
    });
    return started;
  }

  addressOf(symbol: string): string {
    const { tokens, hostileTokens } = this.chain.devnet;
    return [...tokens, ...hostileTokens].find((token) => token.symbol === symbol)!.address;
  }

  traderOf(index: number): string {
    return this.chain.devnet.traders[index]!.address;
  }

  async balanceOf(token: string, owner: string): Promise<bigint> {
    const { call } = this.chain;
    if (token === NATIVE) return BigInt(String(await call("eth_getBalance", owner, "latest")));
    const balance = { to: token, data: `0x70a08231${word(owner)}` };
    return BigInt(String(await call("eth_call", balance, "latest")));
  }

  /** Gives an account some of a trader's tokens. */
  give(account: string, token: string, amount: bigint): Promise<number> {
    const data = `0xa9059cbb${word(account)}${word(amount)}`;
    return this.send({ from: this.traderOf(0), to: token, data });
  }

  /** Signs, sends, and waits for the block; gives its number. */
  async send({ from, to, data, value = "0" }: Sent): Promise<number> {
    const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}` };
    const hash = await this.chain.call("eth_sendTransaction", { ...transaction, gas: "0x7a1200" });
    const receipt = await eventually(
      async () => (await this.chain.call("eth_getTransactionReceipt", hash)) as Receipt | null,
    );
    expect(receipt.status).toBe("0x1");
    return Number(receipt.blockNumber);
  }
}

/** Sends transactions one after the other, and waits until the service has them. */
export async function sendAll(
  swapChain: SwapChain,
  service: Service,
  transactions: ReadonlyArray<Sent>,
): Promise<void> {
  for (const transaction of transactions) {
    const block = await swapChain.send(transaction);
    await eventually(() => service.networks.primary.market!.engine.graph.stamp.number >= block);
  }
}

interface Sent {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value?: string;
}

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
}

const word = (value: string | bigint): string => BigInt(value).toString(16).padStart(64, "0");

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like in a quote.
export async function quoted(service: Service, request: object): Promise<any> {
  const { status, json, text } = await service.post("/LOCAL/quote", request);
  expect(status, text).toBe(200);
  return json;
}

export async function built(service: Service, body: object): Promise<SwapTransactions> {
  const { status, json, text }: Answer = await service.post("/LOCAL/swap", body);
  expect(status, text).toBe(200);
  return Schema.decodeUnknownSync(SwapTransactions)(json, { onExcessProperty: "error" });
}

/**
 * The same with a simulation by the node. A swap waits two seconds for it: if a busy machine took
 * longer, the swap is built again.
 */
export const builtAndTried = (service: Service, body: object): Promise<SwapTransactions> =>
  eventually(async () => {
    const swap = await built(service, body);
    return swap.simulated ? swap : undefined;
  });

/** A proxy of the node, which swallows the methods in `silent`. */
export interface Proxy {
  readonly url: string;
  readonly silent: Set<string>;
  /** How often each method was asked. */
  readonly asked: Map<string, number>;
  /** Runs once, before the first request that contains the text is passed on. */
  readonly before: Map<string, () => Promise<void>>;
  readonly stop: () => void;
}

async function startProxy(target: string): Promise<Proxy> {
  const silent = new Set<string>();
  const asked: Proxy["asked"] = new Map();
  const before: Proxy["before"] = new Map();
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { method } = JSON.parse(body) as { method: string };
    asked.set(method, (asked.get(method) ?? 0) + 1);
    if (silent.has(method)) return;
    for (const [text, act] of before) if (body.includes(text) && before.delete(text)) await act();
    const headers = { "content-type": "application/json" };
    try {
      const answer = await fetch(target, { method: "POST", headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    } catch {
      // The node is gone, as at the end of a test.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, silent, asked, before, stop };
}

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NetworkList, Readiness, SwapQuote } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { openTestDevnet, type TestDevnet } from "@millrace/testing/devnet";
import { Effect, Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkOn } from "../kit/networkOn.ts";
import { type Service, startConfigured } from "../kit/service.ts";

let folder: string;
let chain: TestDevnet;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-live-"));
  chain = await openTestDevnet({ network: "ETH", trafficEveryMs: 250 });
});
afterAll(async () => {
  await chain?.close();
  rmSync(folder, { recursive: true });
});

/** Runs `use` with a ready service of one network, by default on the chain; then stops it. */
async function serving(
  network: Record<string, unknown>,
  use: (service: Service) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const service = await startConfigured({ networks: [network] }, environment);
  try {
    await use(service);
  } finally {
    await service.stop();
  }
}

const isReady = async (service: Service) => (await service.get("/health/ready")).status === 200;

const STRICT = { onExcessProperty: "error" } as const;

describe("a network on a chain", () => {
  it("quotes what the chain's own quoter answers at the quote's block, to the wei", async () => {
    const { devnet, call } = chain;
    const address = (symbol: string) => devnet.tokens.find((token) => token.symbol === symbol)!;
    const [weth, usdc] = [address("WETH"), address("USDC")];
    await serving(networkOn(devnet), async (service) => {
      await eventually(() => isReady(service));
      const amounts = [1n, 10n ** 9n, 10n ** 17n, 3n * 10n ** 19n];
      const blocks = new Set<string>();
      for (const [tokenIn, tokenOut] of [
        [weth, usdc],
        [usdc, weth],
      ] as const) {
        for (const amount of amounts) {
          const amountIn = String(tokenIn === usdc ? amount / 10n ** 8n + 10n ** 6n : amount);
          const body = { tokenA: tokenIn.address, tokenB: tokenOut.address, amountIn, maxHops: 1 };
          const answer = await service.post("/LOCAL/quote", { ...body, dexId: "UNISWAP_V3" });
          if (answer.status !== 200) {
            expect(answer.json.code).toBe("AMOUNT_TOO_SMALL");
            continue;
          }
          const quote = Schema.decodeUnknownSync(SwapQuote)(answer.json);
          const fee = quote.routePlan[0]!.fee;
          const words = [tokenIn.address, tokenOut.address, BigInt(amountIn), BigInt(fee), 0n];
          const data = `0xc6a5026a${words.map((value) => BigInt(value).toString(16).padStart(64, "0")).join("")}`;
          const { blockHash, blockNumber } = answer.json;
          // While the node mines a block, it answers for the one before with the new state.
          await eventually(async () => Number(await call("eth_blockNumber")) > blockNumber);
          const asked = { to: devnet.contracts.quoterV2, data };
          const result = await call("eth_call", asked, { blockHash });
          expect(quote.amountOut).toBe(String(BigInt(String(result).slice(0, 66))));
          expect(answer.json).not.toHaveProperty("unverified");
          blocks.add(answer.json.blockHash);
        }
      }
      expect(blocks.size).toBeGreaterThan(0);
      const { json } = await service.get("/networks");
      const { result } = Schema.decodeUnknownSync(NetworkList)(json, STRICT);
      expect(result).toMatchObject([{ id: "LOCAL", ready: true }]);
      const { dexes } = service.networks.primary.chainStatus!;
      expect(result[0]!.pools).toEqual(
        dexes.map(({ dexId, loadedPools }) => ({
          ...{ dexId, loaded: loadedPools, waiting: 0, tooShallow: 0, refused: [] },
        })),
      );
      expect(result[0]!.pools!.every(({ loaded }) => loaded > 0)).toBe(true);
      const health = await service.get("/health/ready/LOCAL");
      const { networks } = Schema.decodeUnknownSync(Readiness)(health.json, STRICT);
      expect(networks[0]!.quotes).toMatchObject({ poolsLeftOut: 0 });
      // Only the service's own chains are devnets; this chain is not.
      expect(result[0]).not.toHaveProperty("devnet");
      const prices = await service.get(`/LOCAL/tokenPrice/${weth.address}`);
      expect(prices.json.result).toBeGreaterThan(100);
    });
  });

  it("follows a reorganisation and goes on, and counts it", async () => {
    await serving(networkOn(chain.devnet), async (service) => {
      await eventually(() => isReady(service));
      // Only followed blocks can be reverted.
      const { graph } = service.networks.primary.market!.engine;
      const first = graph.stamp.number;
      await eventually(() => graph.stamp.number > first + 3);
      const hashOf = async () => {
        const block = await chain.call("eth_getBlockByNumber", "latest", false);
        return graph.stamp.hash === (block as { hash: string }).hash && graph.stamp.hash;
      };
      const before = await eventually(hashOf);
      // The service may be some blocks late by now, and must lose some of its blocks.
      const lag = Number(await chain.call("eth_blockNumber")) - graph.stamp.number;
      await Effect.runPromise(chain.devnet.traffic.reorganise(lag + 3));
      const counted = /^millrace_chain_reorganisations_total\{network="LOCAL"\} [1-9]\d*$/m;
      await eventually(async () => counted.test((await service.get("/metrics")).text));
      expect(await eventually(hashOf)).not.toBe(before);
      const { text } = await service.get("/metrics");
      for (const metric of [
        "millrace_chain_discovered_pools",
        "millrace_chain_waiting_pools",
        "millrace_chain_audited_pools_total",
        "millrace_chain_drifted_pools_total",
        "millrace_chain_audited_quotes_total",
        "millrace_chain_differing_quotes_total",
      ]) {
        expect(text).toMatch(new RegExp(`^${metric}\\{network="LOCAL"\\} \\d+$`, "m"));
      }
      for (const { id } of chain.devnet.dexes) {
        const labels = `network="LOCAL",dex="${id}",state="loaded"`;
        expect(text).toMatch(new RegExp(`^millrace_chain_dex_pools\\{${labels}\\} [1-9]`, "m"));
      }
      expect(text).toContain('millrace_endpoint_up{network="LOCAL",endpoint="local"} 1');
      expect(text).toMatch(/^millrace_endpoint_requests_total\{.*endpoint="local"\} [1-9]\d*$/m);
    });
  });

  it("goes without the tokens that it leaves out, in later blocks as well", async () => {
    const { devnet } = chain;
    const link = devnet.tokens.find(({ symbol }) => symbol === "LINK")!;
    const network = networkOn(devnet, {
      excludedTokens: [link.address.toUpperCase().replace("X", "x")],
    });
    await serving(network, async (service) => {
      await eventually(() => isReady(service));
      const { engine } = service.networks.primary.market!;
      const first = engine.graph.stamp.number;
      await eventually(() => engine.graph.stamp.number > first + 2);
      expect(engine.graph.findToken(link.address)).toBeUndefined();
      expect(engine.graph.livePoolCount).toBeGreaterThan(20);
      const without = devnet.pools.filter(
        ({ token0, token1 }) => token0 !== link.address && token1 !== link.address,
      );
      expect(engine.graph.livePoolCount).toBe(without.length);
      expect(await isReady(service)).toBe(true);
    });
  });

  it("keeps snapshots in its own folder, and starts again from them", async () => {
    const data = join(folder, "data");
    const { source, ...network } = networkOn(chain.devnet);
    const saving = { ...network, source: { ...source, snapshotBlocks: 1 } };
    const environment = { MILLRACE_DATA_DIR: data };
    const files = () => readdirSync(join(data, "LOCAL")).filter((name) => !name.startsWith("lock"));
    await serving(
      saving,
      async (service) => {
        await eventually(() => isReady(service));
        await eventually(async () =>
          /snapshot_age_blocks\{network="LOCAL"\} \d/.test((await service.get("/metrics")).text),
        );
      },
      environment,
    );
    expect(files().length).toBeGreaterThan(0);
    await serving(
      saving,
      (service) => eventually(() => isReady(service)).then(() => {}),
      environment,
    );
  });

  it("whose chain stands still is not ready once its head is too old", async () => {
    const still = await openTestDevnet({ network: "ETH" });
    try {
      await serving(networkOn(still.devnet, { headAgeLimitMs: 2_500 }), async (service) => {
        await eventually(() => service.networks.primary.market);
        const isReadyAfterBlock = async () => {
          await still.call("evm_mine");
          return isReady(service);
        };
        // There was no block since the deployment.
        await eventually(isReadyAfterBlock);
        await eventually(async () => !(await isReady(service)));
        const { json } = await service.get("/health/ready");
        const body = Schema.decodeUnknownSync(Readiness)(json, STRICT);
        expect(body.networks[0]!.reason).toMatch(/^the newest block is \d+ ms old$/);
        await eventually(isReadyAfterBlock);
      });
    } finally {
      await still.close();
    }
  });

  it("that no endpoint answers for is not ready, says why, and shows no URL", async () => {
    const { source, ...network } = networkOn(chain.devnet);
    const endpoints = [
      { url: "http://127.0.0.1:1/SECRET", webSocketUrl: "ws://127.0.0.1:1/SECRET" },
    ];
    await serving(
      { ...network, source: { ...source, endpoints } },
      async (service) => {
        const [tokenA, tokenB] = chain.devnet.tokens.map(({ address }) => address);
        const answers = [
          await service.get("/health/ready"),
          await service.post("/LOCAL/quote", { tokenA, tokenB, amountIn: "1" }),
          await service.get("/tokens"),
          await service.get("/LOCAL/tokenList"),
        ];
        for (const { status, text } of answers) {
          expect(status).toBe(503);
          expect(text).not.toContain("SECRET");
        }
        expect(answers[0]!.json.networks[0].reason).toBe("starting; no endpoint answers");
        expect(answers[1]!.json.code).toBe("NOT_READY");
        const metrics = await service.get("/metrics");
        expect(metrics.text).toContain(
          'millrace_endpoint_up{network="LOCAL",endpoint="endpoint 1"} 0',
        );
        expect(metrics.text).not.toContain("SECRET");
        expect((await service.get("/health/live")).status).toBe(200);
      },
      { MILLRACE_LOG_LEVEL: "none" },
    );
  });
});

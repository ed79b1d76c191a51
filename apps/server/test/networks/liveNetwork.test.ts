import { eventually } from "@millrace/testing";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServerConfig } from "../../src/config/ServerConfig.ts";
import { deployment } from "../../src/deploy/deployment.ts";
import { NATIVE, type Service } from "../kit/service.ts";
import { built, quoted, SwapChain } from "../swap/swapChain.ts";

let swapChain: SwapChain;
let service: Service;
beforeAll(async () => {
  swapChain = await SwapChain.start();
  service = await swapChain.servingRouters();
});
afterAll(async () => {
  await service?.stop();
  await swapChain?.stop();
});

const ETHER = 10n ** 18n;
const NOBODY = "0x00000000000000000000000000000000feed0001";

describe("tokens that bite", () => {
  it("are found out in the background: plain ones are no longer named in quotes, others stay", async () => {
    const unverified = async (symbol: string) => {
      const tokenA = swapChain.addressOf("USDC");
      const ask = { tokenA, tokenB: swapChain.addressOf(symbol), amountIn: String(10n ** 6n) };
      return (await quoted(service, ask)).unverified ?? [];
    };
    await eventually(async () => (await unverified("NORETURN")).length === 0);
    await eventually(async () => (await service.get("/metrics")).text.includes('kind="taxed"'));
    expect(await unverified("TAX")).toEqual([swapChain.addressOf("TAX")]);
  });

  it("join those that are excluded by configuration, and do not take their place", async () => {
    const ask = {
      ...{ tokenA: swapChain.addressOf("UNI"), tokenB: swapChain.addressOf("LINK") },
      amountIn: String(ETHER),
    };
    const passed = async (by: Service): Promise<ReadonlyArray<string>> => {
      const { routePlan } = (await by.post("/LOCAL/quote", ask)).json;
      return (routePlan ?? []).slice(1).map(({ tokenA }: { readonly tokenA: string }) => tokenA);
    };
    const [middle] = await passed(service);
    expect(middle).toBeDefined();
    const other = await swapChain.serving({ barredTokens: [middle] });
    try {
      expect(await passed(other)).not.toContain(middle);
      await eventually(async () => (await other.get("/metrics")).text.includes('kind="taxed"'));
      // Tokens with a bad verdict are excluded at the end of a round of trials.
      const tax = swapChain.addressOf("TAX");
      const { graph } = other.networks.primary.market!.engine;
      await eventually(() => graph.tokenIsExcluded[graph.findToken(tax)!] === 1);
      expect(await passed(other)).not.toContain(middle);
    } finally {
      await other.stop();
    }
  });
});

describe("the network's own price of gas", () => {
  it("ranks quotes when it is asked for", async () => {
    const ask = {
      tokenA: NATIVE,
      tokenB: swapChain.addressOf("DAI"),
      amountIn: String(ETHER),
      maxSplits: 8,
    };
    const plain = await quoted(service, ask);
    const aware = await quoted(service, { ...ask, gasAware: true });
    expect(aware.routePlan.length).toBeLessThanOrEqual(plain.routePlan.length);
    expect(BigInt(aware.amountOut)).toBeLessThanOrEqual(BigInt(plain.amountOut));
    swapChain.proxy.silent.add("eth_feeHistory").add("eth_gasPrice");
    try {
      const unknown = await eventually(async () => {
        const answer = await service.post("/LOCAL/quote", { ...ask, gasAware: true });
        return answer.status === 200 ? undefined : answer;
      });
      expect([unknown.status, unknown.json.code]).toEqual([503, "NOT_READY"]);
    } finally {
      swapChain.proxy.silent.clear();
    }
  });
});

describe("live networks", () => {
  it("swaps on one network go on while the nodes of another are silent", async () => {
    const source = { kind: "generated", seed: 1, poolCount: 20 };
    const both = await swapChain.serving({}, [
      { id: "OTHER", name: "Other", chainId: 8453, source },
    ]);
    try {
      const { wrappedNative } = swapChain.chain.devnet;
      const publicKey = swapChain.traderOf(1);
      const swap = (id: string, tokenB: string | undefined) => {
        const quote = { tokenA: NATIVE, tokenB, amountIn: "5", amountOut: "5", routePlan: [] };
        return both.post(`/${id}/swap`, { publicKey, quote });
      };
      swapChain.proxy.silent.add("eth_call");
      const waiting: Array<Promise<unknown>> = [];
      let isRefused = false;
      // Each waits for two seconds: on a slow machine some end before there are too many.
      await eventually(() => {
        const more = Array.from({ length: 65 }, () => swap("LOCAL", wrappedNative));
        for (const answer of more)
          waiting.push(answer.then(({ status }) => (isRefused ||= status === 429)));
        return Promise.race(more).then(() => isRefused);
      });
      const other = both.networks.byId("OTHER")!;
      expect((await swap("OTHER", other.config.wrappedNative)).status).toBe(200);
      await Promise.all(waiting);
    } finally {
      swapChain.proxy.silent.clear();
      await both.stop();
    }
  });

  it("the transaction that the command prints makes an executor", async () => {
    const network = {
      id: "LOCAL",
      chainId: swapChain.chain.devnet.chainId,
      source: { kind: "chain" },
    };
    const { wrappedNative } = swapChain.chain.devnet;
    const networks = [{ ...network, wrappedNative }] as unknown as ServerConfig["networks"];
    const told = JSON.parse(await Effect.runPromise(deployment({ networks }, "LOCAL")));
    await swapChain.send({ from: swapChain.traderOf(0), ...told });
    const code = await swapChain.chain.call("eth_getCode", told.address, "latest");
    const deployed = await swapChain.chain.call(
      "eth_getCode",
      swapChain.chain.devnet.deployed[0],
      "latest",
    );
    expect(code).toBe(deployed);
  });

  it("a router whose code is not what it should be is left out, and the refusal says so", async () => {
    const { wrappedNative, contracts } = swapChain.chain.devnet;
    const routers = {
      executor: contracts.swapRouter02,
      universalRouter: { ...swapChain.routers.universalRouter, address: NOBODY },
    };
    const other = await swapChain.serving({ routers });
    try {
      await eventually(async () => {
        const { text } = await other.get("/metrics");
        return /router="executor"} 0/.test(text) && /router="universalRouter"} 0/.test(text);
      });
      const ask = { tokenA: NATIVE, tokenB: swapChain.addressOf("DAI"), amountIn: String(ETHER) };
      const quote = await quoted(other, ask);
      const detail = () =>
        other
          .post("/LOCAL/swap", { publicKey: swapChain.traderOf(1), quote })
          .then(({ status, json }) => `${status} ${json.code}: ${json.detail}`);
      await eventually(async () => !(await detail()).includes("not been checked"));
      const words = await detail();
      expect(words).toMatch(/^422 NO_ROUTER: /);
      expect(words).toContain(`the contract at ${contracts.swapRouter02} is another one`);
      expect(words).toContain(`there is no contract at ${NOBODY}`);
      // The wrapped native token needs neither.
      const wrap = await quoted(other, { tokenA: NATIVE, tokenB: wrappedNative, amountIn: "5" });
      const { transactions } = await built(other, {
        publicKey: swapChain.traderOf(1),
        quote: wrap,
      });
      expect(transactions).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });
});

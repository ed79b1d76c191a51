import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE, type Service } from "../kit/service.ts";
import { builtAndTried, quoted, SwapChain } from "./swapChain.ts";

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

const CLIENTS = 8;
const TRIES = 5;
/** The executor, the Universal Router and its Permit2. */
const CONTRACTS = 3;

const codesAsked = () => swapChain.proxy.asked.get("eth_getCode") ?? 0;

/** Takes the code of a contract away, as a reorganisation does; the result puts it back. */
async function takeCode(address: string): Promise<() => Promise<void>> {
  const { call } = swapChain.chain;
  const code = await call("eth_getCode", address, "latest");
  await call("anvil_setCode", address, "0x");
  await mineBlock();
  return async () => {
    await call("anvil_setCode", address, code);
    await mineBlock();
  };
}

async function mineBlock(): Promise<void> {
  const { call } = swapChain.chain;
  await call("anvil_mine");
  const block = Number(await call("eth_blockNumber"));
  await eventually(() => service.networks.primary.market!.engine.graph.stamp.number >= block);
}

describe("a router whose code is gone", () => {
  it("is named missing, asked for once a block, and used once it is there again", async () => {
    const { executor } = swapChain.routers;
    const tokenB = swapChain.addressOf("USDC");
    const ask = { tokenA: NATIVE, tokenB, amountIn: String(10n ** 17n), dexId: "SUSHISWAP_V2" };
    const body = { publicKey: swapChain.traderOf(1), quote: await quoted(service, ask) };
    const askedAtStart = codesAsked();
    expect((await builtAndTried(service, body)).transactions.at(-1)!.to).toBe(executor);
    expect(codesAsked()).toBe(askedAtStart);
    const putBack = await takeCode(executor);
    try {
      const answers = () =>
        Promise.all(Array.from({ length: CLIENTS }, () => service.post("/LOCAL/swap", body)));
      // A busy machine may take longer to answer than a swap waits.
      await eventually(async () => (await answers()).some(({ json }) => json.code === "NO_ROUTER"));
      for (const { status, json } of await answers()) {
        expect([status, json.code]).toEqual([422, "NO_ROUTER"]);
        expect(json.detail).toContain(
          `the executor is left out: there is no contract at ${executor}`,
        );
      }
      expect(codesAsked() - askedAtStart).toBeLessThanOrEqual(CONTRACTS);
    } finally {
      await putBack();
    }
    expect((await builtAndTried(service, body)).transactions.at(-1)!.to).toBe(executor);
  });

  it("is asked for by a permit too, which names it once it is there again", async () => {
    const { executor } = swapChain.routers;
    const [tokenA, tokenB] = [swapChain.addressOf("USDC"), swapChain.addressOf("WETH")];
    const ask = { tokenA, tokenB, amountIn: String(10n ** 8n), dexId: "SUSHISWAP_V2" };
    const body = { publicKey: swapChain.traderOf(1), quote: await quoted(service, ask) };
    const permit = () => service.post("/LOCAL/permit", body);
    const putBack = await takeCode(executor);
    try {
      // Only the trial of a swap finds out that it is gone.
      await eventually(
        async () => (await service.post("/LOCAL/swap", body)).json.code === "NO_ROUTER",
      );
      expect((await permit()).json.code).toBe("NO_ROUTER");
    } finally {
      await putBack();
    }
    // On a busy machine the check may take longer than a request waits for it.
    let found = await permit();
    for (let tries = 1; tries < TRIES && found.status !== 200; tries++) found = await permit();
    expect(found.json.spender).toBe(executor);
  });

  it("leaves its swaps to another, and counts as gone without its Permit2", async () => {
    const { executor, universalRouter } = swapChain.routers;
    const [tokenA, tokenB] = [swapChain.addressOf("USDC"), swapChain.addressOf("WETH")];
    const ask = { tokenA, tokenB, amountIn: String(10n ** 8n), dexId: "UNISWAP_V3" };
    const body = { publicKey: swapChain.traderOf(1), quote: await quoted(service, ask) };
    const target = async () => (await builtAndTried(service, body)).transactions.at(-1)!.to;
    expect(await target()).toBe(universalRouter.address);
    const putBack = await takeCode(universalRouter.permit2);
    try {
      expect(await target()).toBe(executor);
    } finally {
      await putBack();
    }
  });
});

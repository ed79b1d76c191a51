import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE, type Service } from "../kit/service.ts";
import { quoted, SwapChain } from "./swapChain.ts";

let swapChain: SwapChain;
let service: Service;
beforeAll(async () => {
  swapChain = await SwapChain.start();
  service = await swapChain.serving({}, [], { trustedProxies: ["127.0.0.1/32"] });
});
afterAll(async () => {
  await service?.stop();
  await swapChain?.stop();
});

const CLIENTS = 64;

describe("a node that does not answer, with 64 clients who wait for it at /swap", () => {
  it("refuses no other client's swap, which is told without it, and holds up no quote", async () => {
    const request = {
      tokenA: NATIVE,
      tokenB: swapChain.addressOf("USDC"),
      amountIn: String(10n ** 17n),
    };
    const quote = await quoted(service, request);
    const order: string[] = [];
    const swap = async (name: string, address: string) => {
      const { status, json } = await service.request("/LOCAL/swap", {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": address },
        body: JSON.stringify({ publicKey: swapChain.traderOf(1), quote }),
      });
      order.push(name);
      return `${status} ${json.simulated ?? json.code}`;
    };
    swapChain.proxy.silent.add("eth_call");
    const swaps = Array.from({ length: CLIENTS }, (_, index) =>
      swap("waiting", `198.51.100.${index}`),
    );
    swaps.push(swap("other", "203.0.113.1"));
    for (let count = 0; count < 5; count++) {
      await quoted(service, request);
      order.push("quote");
    }
    const answers = await Promise.all(swaps);
    swapChain.proxy.silent.clear();
    expect(new Set(answers)).toEqual(new Set(["200 false"]));
    expect(order.indexOf("quote")).toBe(0);
  });
});

import { eventually } from "@millrace/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE, type Service } from "../kit/service.ts";
import { builtAndTried, quoted, SwapChain, sendAll } from "./swapChain.ts";

// Most pools of Uniswap V4 hold the native token itself, which no other DEX does.

let swapChain: SwapChain;
let service: Service;
beforeAll(async () => {
  swapChain = await SwapChain.start(true);
});
afterAll(async () => {
  await service?.stop();
  await swapChain?.stop();
});

const ETHER = 10n ** 18n;
/** The native token's address in pools; no answer contains it. */
const NATIVE_CURRENCY = `0x${"0".repeat(40)}`;
const RECIPIENT = "0x00000000000000000000000000000000feed0002";
const MILLION = 10n ** 6n;

describe.each(["executor", "universalRouter"] as const)(
  "pools of the native token, by the %s",
  (name) => {
    beforeAll(async () => {
      await service?.stop();
      service = await swapChain.serving({ routers: { [name]: swapChain.routers[name] } });
      await eventually(async () =>
        (await service.get("/metrics")).text.includes(`router="${name}"} 1`),
      );
    });

    it("are swapped through for the native token and for its wrapped form, to the wei", async () => {
      const [weth, usdc, wbtc] = ["WETH", "USDC", "WBTC"].map((symbol) =>
        swapChain.addressOf(symbol),
      ) as [string, string, string];
      const sender = swapChain.traderOf(1);
      for (const [tokenA, tokenB, amountIn] of [
        [NATIVE, usdc, ETHER],
        [weth, usdc, ETHER],
        [usdc, NATIVE, 1_000n * MILLION],
        [usdc, weth, 1_000n * MILLION],
        // Through the native token, and wrapped on the way.
        [usdc, wbtc, 1_000n * MILLION],
        [swapChain.addressOf("LINK"), usdc, 50n * ETHER],
      ] as const) {
        const ask = { tokenA, tokenB, amountIn: String(amountIn), dexId: "UNISWAP_V4" };
        const quote = await quoted(service, ask);
        expect(quote.executable).toBe(true);
        for (const step of quote.routePlan) {
          expect(step.poolId).toMatch(/^0x[0-9a-f]{64}$/);
          expect([step.tokenA, step.tokenB]).not.toContain(NATIVE_CURRENCY);
        }
        const body = { publicKey: sender, quote, recipient: RECIPIENT };
        const { transactions } = await builtAndTried(service, body);
        expect(transactions.at(-1)!.value).toBe(tokenA === NATIVE ? String(amountIn) : "0");
        const before = await swapChain.balanceOf(tokenB, RECIPIENT);
        await sendAll(swapChain, service, transactions);
        const gained = (await swapChain.balanceOf(tokenB, RECIPIENT)) - before;
        expect([tokenA, tokenB, String(gained)]).toEqual([tokenA, tokenB, quote.amountOut]);
      }
    });

    it("give either form the same, and no token of the address 0 is listed", async () => {
      const usdc = swapChain.addressOf("USDC");
      const more = { tokenB: usdc, amountIn: String(ETHER), dexId: "UNISWAP_V4" };
      const [native, wrapped] = await Promise.all(
        [NATIVE, swapChain.addressOf("WETH")].map((tokenA) => quoted(service, { tokenA, ...more })),
      );
      expect(native.routePlan).toEqual(wrapped.routePlan);
      expect(Number(native.gasEstimate)).toBeLessThan(Number(wrapped.gasEstimate));
      const { result } = (await service.get("/LOCAL/tokenList")).json;
      expect(result).toContain(NATIVE);
      expect(result).not.toContain(NATIVE_CURRENCY);
    });
  },
);

import { PermitAnswer } from "@millrace/api";
import { eventually } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE, type Service } from "../kit/service.ts";
import { built, builtAndTried, quoted, SwapChain, sendAll } from "./swapChain.ts";

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

const STRICT = { onExcessProperty: "error" } as const;
const ETHER = 10n ** 18n;
const PARTNER = "0x00000000000000000000000000000000feed0001";

const send = (...transactions: Parameters<typeof sendAll>[2]) =>
  sendAll(swapChain, service, transactions);

describe("what a swap gives", () => {
  it("is what was quoted, to the wei, once its transactions are signed and sent", async () => {
    const [weth, usdc, dai] = [
      swapChain.addressOf("WETH"),
      swapChain.addressOf("USDC"),
      swapChain.addressOf("DAI"),
    ];
    const sender = swapChain.traderOf(1);
    for (const [tokenA, tokenB, more] of [
      [NATIVE, usdc, {}],
      [usdc, dai, { dexId: "UNISWAP_V3" }],
      [dai, NATIVE, { maxSplits: 4 }],
      [NATIVE, weth, {}],
      [weth, NATIVE, {}],
      [weth, dai, { maxSplits: 8 }],
    ] as const) {
      const isDollars = tokenA === usdc;
      const amountIn = String(
        isDollars ? 1_000n * 10n ** 6n : tokenA === dai ? 900n * ETHER : ETHER,
      );
      const quote = await quoted(service, { tokenA, tokenB, amountIn, ...more });
      const recipient = "0x00000000000000000000000000000000feed0002";
      const isWrap = quote.routePlan.length === 0;
      const body = { publicKey: sender, quote, ...(isWrap ? {} : { recipient }) };
      const { transactions, minAmountOut } = await builtAndTried(service, body);
      const holder = isWrap ? sender : recipient;
      const before = await swapChain.balanceOf(tokenB, holder);
      await send(...transactions);
      const gained = (await swapChain.balanceOf(tokenB, holder)) - before;
      // An unwrap to the native token pays its gas from the same balance.
      if (!isWrap || tokenB !== NATIVE) expect(String(gained)).toBe(quote.amountOut);
      else expect(gained).toBeGreaterThan((ETHER * 99n) / 100n);
      expect(BigInt(minAmountOut!)).toBeLessThanOrEqual(BigInt(quote.amountOut));
    }
  });

  it("is what was asked with an exact output, and what is left of the native input comes back", async () => {
    const usdc = swapChain.addressOf("USDC");
    const quote = await quoted(service, { tokenA: NATIVE, tokenB: usdc, amountOut: "1000000000" });
    const body = { publicKey: swapChain.traderOf(1), quote, slippage: 10, recipient: PARTNER };
    const { transactions, maxAmountIn } = await builtAndTried(service, body);
    expect(transactions.at(-1)!.value).toBe(maxAmountIn);
    const before = await swapChain.balanceOf(NATIVE, swapChain.traderOf(1));
    await send(transactions.at(-1)!);
    expect(await swapChain.balanceOf(usdc, PARTNER)).toBe(10n ** 9n);
    const spent = before - (await swapChain.balanceOf(NATIVE, swapChain.traderOf(1)));
    // The rest is gas.
    expect(spent - BigInt(quote.amountIn)).toBeLessThan(ETHER / 10n);
  });

  it("needs no more approvals than the chain says, and no input to be tried", async () => {
    const [usdc, dai] = [swapChain.addressOf("USDC"), swapChain.addressOf("DAI")];
    const amountIn = String(500n * 10n ** 6n);
    const quote = await quoted(service, {
      tokenA: usdc,
      tokenB: dai,
      amountIn,
      dexId: "UNISWAP_V3",
    });
    const poor = `0x${"0".repeat(30)}feedfeed01`;
    // One deadline for all: an allowance in Permit2 lasts as long as its swap.
    const deadline = Math.floor(Date.now() / 1_000) + 1_800;
    const first = await builtAndTried(service, { publicKey: poor, quote, deadline });
    expect(first.transactions.length).toBe(3);
    const account = `0x${"0".repeat(30)}feedfeed02`;
    await swapChain.chain.call("anvil_impersonateAccount", account);
    await swapChain.chain.call("anvil_setBalance", account, "0x56bc75e2d63100000");
    await swapChain.give(account, usdc, BigInt(amountIn));
    const { transactions } = await built(service, { publicKey: account, quote, deadline });
    expect(transactions.length).toBe(3);
    await send(transactions[0]!);
    // A node that answers late does not say what was approved.
    const left = (count: number) =>
      eventually(async () => {
        const swap = await built(service, { publicKey: account, quote, deadline });
        return swap.transactions.length === count ? swap.transactions : undefined;
      });
    await left(2);
    await send(transactions[1]!);
    const [last] = await left(1);
    await send(last!);
    expect(String(await swapChain.balanceOf(dai, account))).toBe(quote.amountOut);
  });

  it("leaves a partner's fee, to the wei", async () => {
    const [usdc, dai] = [swapChain.addressOf("USDC"), swapChain.addressOf("DAI")];
    const quote = await quoted(service, { tokenA: NATIVE, tokenB: dai, amountIn: String(ETHER) });
    const partnerFees = { recipient: PARTNER, fee: 250 };
    const before = await swapChain.balanceOf(dai, PARTNER);
    const body = { publicKey: swapChain.traderOf(1), quote, partnerFees };
    const { transactions, feeAmount } = await built(service, body);
    await send(transactions.at(-1)!);
    expect(usdc).not.toBe(dai);
    expect(String((await swapChain.balanceOf(dai, PARTNER)) - before)).toBe(feeAmount);
    expect(feeAmount).toBe(String((BigInt(quote.amountOut) * 250n) / 10_000n));
  });
});

describe("a permit", () => {
  it("that a wallet signs saves the approval, with either router", async () => {
    const [usdc, weth] = [swapChain.addressOf("USDC"), swapChain.addressOf("WETH")];
    const amountIn = String(300n * 10n ** 6n);
    // The one account whose key the node has.
    const [publicKey] = (await swapChain.chain.call("eth_accounts")) as [string];
    await swapChain.give(publicKey, usdc, 10n ** 9n);
    for (const [dexId, kind] of [
      ["UNISWAP_V3", "PERMIT2"],
      ["SUSHISWAP_V2", "EIP-2612"],
    ] as const) {
      const quote = await quoted(service, { tokenA: usdc, tokenB: weth, amountIn, dexId });
      const deadline = Math.floor(Date.now() / 1_000) + 1_800;
      const answer = await service.post("/LOCAL/permit", { publicKey, quote, deadline });
      const { spender, typedData, ...rest } = Schema.decodeUnknownSync(PermitAnswer)(
        answer.json,
        STRICT,
      );
      expect([rest.kind, swapChain.routers]).toMatchObject([
        kind,
        kind === "PERMIT2" ? { universalRouter: { address: spender } } : { executor: spender },
      ]);
      const signature = await swapChain.chain.call("eth_signTypedData_v4", publicKey, typedData);
      const message = typedData!.message as Record<string, never>;
      const { nonce, amount = message["value"], expiration } = message["details"] ?? message;
      const permit = {
        ...{ signature, amount, nonce: String(nonce), deadline: String(deadline) },
        ...(expiration !== undefined && { expiration: String(expiration) }),
      };
      const body = { publicKey, quote, deadline, permit };
      const { transactions } = await builtAndTried(service, body);
      expect(transactions.at(-1)!.to).toBe(spender);
      const wrong = { ...permit, signature: `0x${"12".repeat(64)}1b` };
      const refused = await service.post("/LOCAL/swap", { ...body, permit: wrong });
      expect([refused.status, refused.json.code, refused.json.issues]).toMatchObject([
        400,
        "INVALID_REQUEST",
        [{ path: ["permit"] }],
      ]);
      const before = await swapChain.balanceOf(weth, publicKey);
      await send(...transactions);
      expect(String((await swapChain.balanceOf(weth, publicKey)) - before)).toBe(quote.amountOut);
    }
  });

  it("is not blamed for a price that moves while a node tries it", async () => {
    const [tokenA, tokenB] = [swapChain.addressOf("USDC"), swapChain.addressOf("WETH")];
    const [publicKey] = (await swapChain.chain.call("eth_accounts")) as [string];
    const amountIn = String(100n * 10n ** 6n);
    const ask = { tokenA, tokenB, amountIn, dexId: "SUSHISWAP_V2" };
    const deadline = Math.floor(Date.now() / 1_000) + 1_800;
    const refused = await eventually(async () => {
      const quote = await quoted(service, ask);
      const asked = await service.post("/LOCAL/permit", { publicKey, quote, deadline });
      const { typedData } = asked.json;
      const signature = await swapChain.chain.call("eth_signTypedData_v4", publicKey, typedData);
      const { nonce, value: amount } = typedData.message;
      const permit = { signature, amount, nonce, deadline: String(deadline) };
      // Takes the current output as the least one.
      const body = {
        publicKey,
        quote: { ...quote, amountOut: "1" },
        slippage: 0,
        deadline,
        permit,
      };
      const other = { publicKey: swapChain.traderOf(1), quote: await quoted(service, ask) };
      const { transactions } = await built(service, other);
      swapChain.proxy.before.set(String(signature).slice(2, 66), () => send(...transactions));
      const answer = await service.post("/LOCAL/swap", body);
      // On a busy machine the trade may outlast the wait for the node.
      return answer.status === 200 ? undefined : answer;
    });
    expect([refused.status, refused.json.code]).toEqual([409, "PRICE_MOVED"]);
    expect(refused.json.detail).toMatch(/^Tried on the newest block/);
  });

  it("is nothing where nothing is to be signed", async () => {
    const quote = await quoted(service, {
      tokenA: NATIVE,
      tokenB: swapChain.addressOf("DAI"),
      amountIn: "1000000000",
    });
    const { json } = await service.post("/LOCAL/permit", {
      publicKey: swapChain.traderOf(1),
      quote,
    });
    expect(json).toMatchObject({ kind: "NONE", spender: expect.stringMatching(/^0x/) });
  });
});

describe("a swap that would revert", () => {
  it("is not handed out", async () => {
    // It can be bought, and not sold.
    const quote = await quoted(service, {
      ...{
        tokenA: swapChain.addressOf("HONEY"),
        tokenB: swapChain.addressOf("USDC"),
        amountIn: String(ETHER),
      },
    });
    const body = { publicKey: swapChain.traderOf(1), quote };
    const { status, json } = await eventually(async () => {
      const answer = await service.post("/LOCAL/swap", body);
      return answer.status === 200 && !answer.json["simulated"] ? undefined : answer;
    });
    // The node may or may not have tested the token itself by now.
    expect(["409 PRICE_MOVED", "422 TOKEN_REFUSES"]).toContain(`${status} ${json.code}`);
    expect(json.detail).toContain("reverts");
  });

  it("is handed out untested, in bounded time, with all approvals, where no node answers", async () => {
    const [usdc, dai] = [swapChain.addressOf("USDC"), swapChain.addressOf("DAI")];
    const amountIn = String(10n ** 6n);
    const quote = await quoted(service, {
      tokenA: usdc,
      tokenB: dai,
      amountIn,
      dexId: "UNISWAP_V3",
    });
    swapChain.proxy.silent.add("eth_call");
    try {
      const { transactions, simulated } = await built(service, {
        publicKey: swapChain.traderOf(1),
        quote,
      });
      expect([transactions.length, simulated]).toEqual([3, false]);
      const permit = await service.post("/LOCAL/permit", {
        publicKey: swapChain.traderOf(1),
        quote,
      });
      expect([permit.status, permit.json.code]).toEqual([503, "NOT_READY"]);
    } finally {
      swapChain.proxy.silent.clear();
    }
  });
});

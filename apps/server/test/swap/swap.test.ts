import { PermitAnswer, SwapTransactions } from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { type Answer, NATIVE, recordedService, USDC, WETH } from "../kit/service.ts";

// A market without a node: Uniswap's router is configured for Ethereum, ours is deployed nowhere.

const service = recordedService();

const STRICT = { onExcessProperty: "error" } as const;
const SENDER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const PARTNER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const USDT = "0xdac17f958d2ee523a2206206994597c13d831ec7";
const UNIVERSAL_ROUTER = "0x66a9893cc07d91d95644aedd05d03f95e1dba8af";
const PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3";
const NOWHERE = `0x${"1".repeat(40)}`;
const ETHER = 10n ** 18n;
const APPROVE = "0x095ea7b3";
const PERMIT2_APPROVE = "0x87517c45";
const EXECUTE = "0x3593564c";

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like in a quote.
type Quote = any;

async function quoted(request: object): Promise<Quote> {
  const { status, json } = await service.post("/ETH/quote", { dexId: "UNISWAP_V3", ...request });
  expect(status).toBe(200);
  return json;
}

const swap = (body: object): Promise<Answer> => service.post("/ETH/swap", body);

async function built(body: object): Promise<SwapTransactions> {
  const { status, json, text, headers } = await swap(body);
  expect(status, text).toBe(200);
  expect(headers.get("cache-control")).toBe("no-store");
  return Schema.decodeUnknownSync(SwapTransactions)(json, STRICT);
}

/** The code and status of a refusal in the contract's shape, and the place of its fault. */
async function refusal(body: object | string, path = "/ETH/swap") {
  const { status, json, headers } = await service.post(path, body);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(json).toMatchObject({ type: `/docs#${json.code}`, status, title: expect.any(String) });
  expect(json.detail).toEqual(expect.any(String));
  const issues = (json.issues ?? []) as Array<{ path: Array<string | number> }>;
  return [`${json.code} ${status}`, ...issues.map((issue) => issue.path.join("."))];
}

const atLeast = (amount: string, ppm: bigint) =>
  String((BigInt(amount) * (1_000_000n - ppm)) / 1_000_000n);

const AMOUNT = { amountIn: String(1_000n * 10n ** 6n) };
const tokenToToken = () => quoted({ tokenA: USDC, tokenB: WETH, ...AMOUNT });

describe("the transactions of a quote", () => {
  it("are exact approvals of Permit2 and in it, then the swap, all from who asked, as they wrote it", async () => {
    const quote = await tokenToToken();
    const { transactions, simulated, minAmountOut, feeAmount } = await built({
      publicKey: SENDER,
      quote,
    });
    expect(transactions.map(({ from }) => from)).toEqual([SENDER, SENDER, SENDER]);
    expect(transactions.map(({ to, data }) => [to, data.slice(0, 10)])).toEqual([
      [USDC, APPROVE],
      [PERMIT2, PERMIT2_APPROVE],
      [UNIVERSAL_ROUTER, EXECUTE],
    ]);
    const amount = BigInt(quote.amountIn).toString(16).padStart(64, "0");
    expect(transactions[0]!.data.endsWith(amount)).toBe(true);
    expect(transactions.map(({ value }) => value)).toEqual(["0", "0", "0"]);
    // No node was asked; the default slippage is half a percent.
    expect(simulated).toBe(false);
    expect([minAmountOut, feeAmount]).toEqual([atLeast(quote.amountOut, 5_000n), "0"]);
  });

  it("need a reset to zero before the approval of a token that is known for it", async () => {
    const quote = await quoted({ tokenA: USDT, tokenB: WETH, ...AMOUNT });
    const { transactions } = await built({ publicKey: SENDER, quote });
    expect(transactions.map(({ to }) => to)).toEqual([USDT, USDT, PERMIT2, UNIVERSAL_ROUTER]);
    expect(transactions[0]!.data.endsWith("0".repeat(64))).toBe(true);
  });

  it("of the native token are one, with the input as its value", async () => {
    const quote = await quoted({ tokenA: NATIVE, tokenB: USDC, amountIn: String(ETHER) });
    const { transactions } = await built({ publicKey: SENDER, quote, slippage: 1 });
    expect(transactions.map(({ to, value }) => [to, value])).toEqual([
      [UNIVERSAL_ROUTER, String(ETHER)],
    ]);
    const back = await quoted({ tokenA: USDC, tokenB: NATIVE.toLowerCase(), ...AMOUNT });
    expect((await built({ publicKey: SENDER, quote: back })).transactions.at(-1)!.value).toBe("0");
  });

  it("for native to wrapped and back are a deposit and a withdrawal", async () => {
    const amount = { amountIn: "1000" };
    const wrap = await quoted({ tokenA: NATIVE, tokenB: WETH, ...amount });
    const unwrap = await quoted({ tokenA: WETH, tokenB: NATIVE, ...amount });
    const calls = [];
    for (const quote of [wrap, unwrap]) {
      const { transactions } = await built({ publicKey: SENDER, quote });
      calls.push(...transactions.map(({ to, data, value }) => [to, data.slice(0, 10), value]));
    }
    expect(calls).toEqual([
      [WETH, "0xd0e30db0", "1000"],
      [WETH, "0x2e1a7d4d", "0"],
    ]);
  });

  it("with an exact output tell the most that goes in, which is the value of a native input", async () => {
    const quote = await quoted({ tokenA: NATIVE, tokenB: USDC, amountOut: "2000000000" });
    expect(quote.exactOutput).toBe(true);
    const answer = await built({ publicKey: SENDER, quote, slippage: 1 });
    const { maxAmountIn, transactions } = answer;
    expect(BigInt(maxAmountIn!)).toBe((BigInt(quote.amountIn) * 101n) / 100n);
    expect(transactions.at(-1)!.value).toBe(maxAmountIn);
    expect(answer.minAmountOut).toBeUndefined();
  });

  it("have a partner's fee of what comes out, and the minimum is less the fee on it", async () => {
    const quote = await tokenToToken();
    const partnerFees = { recipient: PARTNER, fee: 100 };
    const { feeAmount, minAmountOut } = await built({ publicKey: SENDER, quote, partnerFees });
    expect(feeAmount).toBe(String(BigInt(quote.amountOut) / 100n));
    const least = BigInt(atLeast(quote.amountOut, 5_000n));
    expect(minAmountOut).toBe(String(least - least / 100n));
  });

  it("are the same from steps that are turned around, and whatever else a quote holds", async () => {
    const quote = await tokenToToken();
    const deadline = Math.floor(Date.now() / 1_000) + 600;
    const expected = await built({ publicKey: SENDER, quote, deadline });
    const turned = quote.routePlan.map((step: Quote) => ({
      ...{ tokenA: step.tokenB, tokenB: step.tokenA, aToB: false },
      ...{ poolAddress: step.poolAddress.toLowerCase(), dexId: "X", fee: -1 },
    }));
    const { tokenA, tokenB, amountIn, amountOut } = quote;
    const bare = { tokenA, tokenB, amountIn, amountOut, routePlan: turned, to: NOWHERE, gas: {} };
    expect(await built({ publicKey: SENDER, quote: bare, deadline })).toEqual(expected);
  });

  it("split the amount as the quote does", async () => {
    const amountIn = String(2_000n * ETHER);
    const quote = await quoted({ tokenA: WETH, tokenB: USDC, amountIn, maxSplits: 4 });
    expect(quote.routePlan.length).toBeGreaterThan(1);
    const { minAmountOut, transactions } = await built({ publicKey: SENDER, quote });
    expect(minAmountOut).toBe(atLeast(quote.amountOut, 5_000n));
    expect(transactions.at(-1)!.to).toBe(UNIVERSAL_ROUTER);
  });

  it("take slippage to its fourth decimal", async () => {
    const quote = await tokenToToken();
    for (const [slippage, ppm] of [
      [0.0001, 1n],
      [0.29, 2_900n],
      [1.2345, 12_345n],
      [0, 0n],
      [50, 500_000n],
    ] as const) {
      const { minAmountOut } = await built({ publicKey: SENDER, quote, slippage });
      expect(minAmountOut).toBe(atLeast(quote.amountOut, ppm));
    }
  });
});

describe("a swap is refused", () => {
  it("where no router reaches a pool, with the pool and the reason", async () => {
    const quote = await quoted({ tokenA: USDC, tokenB: WETH, ...AMOUNT, dexId: "SUSHISWAP_V2" });
    const body = { publicKey: SENDER, quote };
    expect(await refusal(body)).toEqual(["NO_ROUTER 422"]);
    const { json } = await swap(body);
    expect(json.detail).toContain(quote.routePlan[0].poolAddress.toLowerCase());
    expect(json.detail).toContain("SUSHISWAP_V2");
  });

  it("when the market gives less than what was quoted less the slippage", async () => {
    const quote = await tokenToToken();
    const promised = (percent: bigint) => ({
      ...quote,
      amountOut: String((BigInt(quote.amountOut) * (100n + percent)) / 100n),
    });
    expect(await refusal({ publicKey: SENDER, quote: promised(1n) })).toEqual(["PRICE_MOVED 409"]);
    const { minAmountOut } = await built({ publicKey: SENDER, quote: promised(1n), slippage: 2 });
    expect(minAmountOut).toBe(atLeast(promised(1n).amountOut, 20_000n));
  });

  it("for what the market does not have, in the words of the contract", async () => {
    const quote = await quoted({ tokenA: USDC, tokenB: WETH, ...AMOUNT, maxHops: 1 });
    const [step] = quote.routePlan;
    const body = (changes: object) => ({ publicKey: SENDER, quote: { ...quote, ...changes } });
    const withStep = (changes: object) => body({ routePlan: [{ ...step, ...changes }] });
    expect(await refusal(withStep({ poolAddress: NOWHERE }))).toEqual(["UNKNOWN_POOL 422"]);
    expect(await refusal(body({ tokenA: NOWHERE }))).toEqual(["UNKNOWN_TOKEN 404"]);
    expect(await refusal(body({ amountIn: "0" }))).toEqual(["AMOUNT_TOO_SMALL 422"]);
    const { amountIn: _, amountOut: __, ...bare } = step;
    const huge = body({ amountIn: String(2n ** 200n), routePlan: [bare] });
    expect((await refusal(huge))[0]).toMatch(/^(INSUFFICIENT_LIQUIDITY 422|PRICE_MOVED 409)$/);
    expect((await refusal(body({ routePlan: [] })))[0]).toBe("INVALID_REQUEST 400");
    const cycle = [step, { ...step, tokenA: step.tokenB, tokenB: step.tokenA }];
    expect((await refusal(body({ routePlan: cycle })))[0]).toBe("INVALID_REQUEST 400");
  });

  it("for what nobody could mean, with the place", async () => {
    const quote = await tokenToToken();
    const now = Math.floor(Date.now() / 1_000);
    const body = (changes: object) => ({ publicKey: SENDER, quote, ...changes });
    const pool = quote.routePlan[0].poolAddress;
    for (const [changes, place] of [
      [{ recipient: `0x${"0".repeat(40)}` }, "recipient"],
      [{ recipient: pool }, "recipient"],
      [{ recipient: USDC }, "recipient"],
      [{ recipient: UNIVERSAL_ROUTER }, "recipient"],
      [{ recipient: PERMIT2 }, "recipient"],
      [{ partnerFees: { recipient: WETH, fee: 1 } }, "partnerFees.recipient"],
      [{ partnerFees: { recipient: PARTNER, fee: 1_001 } }, "partnerFees.fee"],
      [{ deadline: now - 60 }, "deadline"],
      [{ deadline: now + 4_000 }, "deadline"],
      [{ slippage: 51 }, "slippage"],
      [{ slippage: 0.00001 }, "slippage"],
      [{ slipage: 1 }, "slipage"],
      [{ publicKey: "0x1" }, "publicKey"],
      [{ quote: { ...quote, isNativeIn: true } }, "quote.isNativeIn"],
    ] as const) {
      const [code, ...places] = await refusal(body(changes));
      expect([code, ...places]).toEqual(["INVALID_REQUEST 400", place]);
    }
  });

  it("for an address, a body or a network that is none", async () => {
    const body = { publicKey: SENDER, quote: await tokenToToken() };
    for (const path of ["swap", "permit"]) {
      expect(await refusal(body, `/BASE/${path}`)).toEqual(["UNKNOWN_NETWORK 404"]);
      expect(await refusal(body, `/ETH/${path}?slippage=1`)).toEqual([
        "INVALID_REQUEST 400",
        "slippage",
      ]);
      expect(await refusal("{", `/ETH/${path}`)).toEqual(["INVALID_REQUEST 400", ""]);
      expect(await refusal(`"${"x".repeat(70_000)}"`, `/ETH/${path}`)).toEqual([
        "PAYLOAD_TOO_LARGE 413",
      ]);
      const answer = await service.get(`/ETH/${path}`);
      expect([answer.status, answer.json.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    }
  });
});

describe("a permit", () => {
  it("cannot be had where no node tells a nonce", async () => {
    const quote = await tokenToToken();
    const { status, json } = await service.post("/ETH/permit", { publicKey: SENDER, quote });
    expect(status).toBe(200);
    const answer = Schema.decodeUnknownSync(PermitAnswer)(json, STRICT);
    expect(answer).toEqual({ spender: UNIVERSAL_ROUTER, kind: "NONE" });
  });

  it("is refused as the swap would be", async () => {
    const quote = { ...(await tokenToToken()), amountOut: String(10n ** 30n) };
    expect(await refusal({ publicKey: SENDER, quote }, "/ETH/permit")).toEqual(["PRICE_MOVED 409"]);
  });

  it("that is sent stands in for the approval, and must be for enough and for later", async () => {
    const quote = await tokenToToken();
    const later = String(Math.floor(Date.now() / 1_000) + 3_600);
    const signature = `0x${"11".repeat(64)}1b`;
    const permit = {
      ...{ signature, amount: quote.amountIn, deadline: later, nonce: "0", expiration: later },
    };
    const { transactions } = await built({ publicKey: SENDER, quote, permit });
    // Permit2 itself still needs the token's approval.
    expect(transactions.map(({ to }) => to)).toEqual([USDC, UNIVERSAL_ROUTER]);
    const bad = (changes: object) =>
      refusal({ publicKey: SENDER, quote, permit: { ...permit, ...changes } });
    expect(await bad({ amount: "1" })).toEqual(["INVALID_REQUEST 400", "permit.amount"]);
    expect(await bad({ deadline: "1" })).toEqual(["INVALID_REQUEST 400", "permit.deadline"]);
    expect(await bad({ expiration: "1" })).toEqual(["INVALID_REQUEST 400", "permit.expiration"]);
    const native = await quoted({ tokenA: NATIVE, tokenB: USDC, amountIn: String(ETHER) });
    expect(await refusal({ publicKey: SENDER, quote: native, permit })).toEqual([
      "INVALID_REQUEST 400",
      "permit",
    ]);
  });
});

describe("swap routes", () => {
  it("swaps are counted and timed, and may be asked for by any page", async () => {
    const before = (await service.get("/metrics")).text;
    await built({ publicKey: SENDER, quote: await tokenToToken() });
    const { text } = await service.get("/metrics");
    const counted = /requests_total\{method="POST",route="\/:network\/swap",status="200"\} (\d+)/;
    expect(Number(counted.exec(text)![1])).toBe(Number(counted.exec(before)![1]) + 1);
    expect(text).toMatch(/millrace_swap_duration_seconds_count [1-9]/);
    for (const path of ["/ETH/swap", "/ETH/permit"]) {
      const preflight = await service.request(path, {
        method: "OPTIONS",
        headers: { origin: "https://a.example", "access-control-request-method": "POST" },
      });
      expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
      const answer = await service.request(path, {
        ...{ method: "POST", body: "{}", headers: { origin: "https://a.example" } },
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });
});

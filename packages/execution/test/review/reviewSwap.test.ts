import { describe, expect, it } from "vitest";
import type { ReviewTerms } from "../../src/review/ReviewTerms.ts";
import { reviewSwap } from "../../src/review/reviewSwap.ts";
import type { SwapIntent } from "../../src/SwapIntent.ts";
import type { SwapOrder } from "../../src/SwapOrder.ts";
import {
  bare,
  FRIEND,
  type Hop,
  NOW_SECONDS,
  orderOf,
  PARTNER,
  pool,
  SENDER,
  testMarket,
  testTerms,
  token,
  WRAPPED,
} from "../market.ts";

const market = testMarket();
const terms = testTerms(market);

const ONE_HOP: Hop[][] = [[["UNISWAP_V3", 0, 1]]];
const TWO_PATHS: Hop[][] = [
  [
    ["UNISWAP_V2", 0, 1],
    ["UNISWAP_V3", 1, 2],
  ],
  [["OTHER_FIRST", 0, 2]],
];

function intentOf(order: SwapOrder, by: ReviewTerms = terms): SwapIntent {
  const intent = reviewSwap(order, by);
  if ("refused" in intent) throw new Error(`${intent.code}: ${intent.detail} (${intent.path})`);
  return intent;
}

describe("an order that is in order", () => {
  it("becomes an intent of what the graph knows", () => {
    const order = orderOf(market, TWO_PATHS);
    const intent = intentOf(order);
    expect(intent).toMatchObject({
      ...{ chainId: 1, kind: "exactIn", blockNumber: 77, wrappedNative: WRAPPED },
      ...{ sender: SENDER, recipient: SENDER, tokenIn: token(0), tokenOut: token(2) },
      ...{ amountIn: order.amountIn, amountInMax: order.amountIn, amountOut: order.amountOut },
      amountOutMin: (order.amountOut * 995_000n) / 1_000_000n,
      feeAmount: 0n,
      deadline: NOW_SECONDS + 1_200,
    });
    expect(intent.fee).toBeUndefined();
    expect(intent.paths.map(({ legs }) => legs.map((leg) => leg.dexId))).toEqual([
      ["UNISWAP_V2", "UNISWAP_V3"],
      ["OTHER_FIRST"],
    ]);
    const [first, second] = order.steps;
    expect(intent.paths[0]!.legs).toEqual([
      {
        ...{ pool: pool("UNISWAP_V2", 0, 1), dexId: "UNISWAP_V2", protocol: "constant-product" },
        ...{
          tokenIn: token(0),
          tokenOut: token(1),
          zeroForOne: true,
          feePips: 3_000,
          parameter: 0,
        },
        ...{ amountIn: first!.amountIn, amountOut: first!.amountOut },
      },
      {
        ...{ pool: pool("UNISWAP_V3", 1, 2), dexId: "UNISWAP_V3" },
        protocol: "concentrated-liquidity",
        ...{ tokenIn: token(1), tokenOut: token(2), zeroForOne: true, feePips: 500, parameter: 10 },
        ...{ amountIn: second!.amountIn, amountOut: second!.amountOut },
      },
    ]);
    expect(intentOf(orderOf(market, [[["UNISWAP_V3", 1, 0]]])).paths[0]!.legs[0]!.zeroForOne).toBe(
      false,
    );
  });

  it("is recomputed: amounts on the steps of one path are not what the intent says", () => {
    const order = orderOf(market, [
      [
        ["UNISWAP_V2", 0, 1],
        ["OTHER_V2", 1, 2],
      ],
    ]);
    const bare = order.steps.map(({ amountIn: _, amountOut: __, ...step }) => step);
    expect(intentOf({ ...order, steps: bare })).toEqual(intentOf(order));
    const lied = [order.steps[0]!, { ...order.steps[1]!, amountIn: -1n, amountOut: 1n << 300n }];
    expect(intentOf({ ...order, steps: lied })).toEqual(intentOf(order));
  });

  it("takes addresses of any case, and gives them in lower case", () => {
    const order = orderOf(market, ONE_HOP);
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}` as const;
    const shouted = {
      ...order,
      ...{ sender: upper(SENDER), tokenIn: upper(order.tokenIn), tokenOut: upper(order.tokenOut) },
      steps: order.steps.map((step) => ({ ...step, pool: upper(step.pool) })),
    };
    expect(intentOf(shouted)).toEqual(intentOf(order));
  });

  it("pays whom it names, by the deadline it names, less the fee it names", () => {
    const order = orderOf(market, ONE_HOP, {
      recipient: FRIEND,
      deadline: NOW_SECONDS + 3_600,
      fee: { recipient: PARTNER, bps: 30 },
    });
    const gross = (order.amountOut * 995_000n) / 1_000_000n;
    expect(intentOf(order)).toMatchObject({
      ...{ recipient: FRIEND, deadline: NOW_SECONDS + 3_600 },
      fee: { recipient: PARTNER, bps: 30 },
      feeAmount: (order.amountOut * 30n) / 10_000n,
      amountOutMin: gross - (gross * 30n) / 10_000n,
    });
    expect(intentOf({ ...order, deadline: NOW_SECONDS }).deadline).toBe(NOW_SECONDS);
    expect(intentOf({ ...order, fee: { recipient: PARTNER, bps: 0 } }).fee).toBeUndefined();
  });
});

describe("the limits of exact input", () => {
  const order = orderOf(market, ONE_HOP);
  const gives = order.amountOut;

  it("start from what was quoted where that is more, and from what comes now where it is not", () => {
    const quotedMore = intentOf({ ...order, amountOut: gives + 10n ** 15n });
    expect(quotedMore.amountOutMin).toBe(((gives + 10n ** 15n) * 995_000n) / 1_000_000n);
    expect(quotedMore.amountOut).toBe(gives);
    const quotedLess = intentOf({ ...order, amountOut: gives / 2n });
    expect(quotedLess.amountOutMin).toBe((gives * 995_000n) / 1_000_000n);
  });

  it("refuse a price that moved by more than the slippage, and no wei earlier", () => {
    // The most that may have been quoted: now × 1e6 ≥ quoted × 995,000.
    const most = (gives * 1_000_000n) / 995_000n;
    expect(intentOf({ ...order, amountOut: most }).amountOutMin).toBeLessThanOrEqual(gives);
    expect(reviewSwap({ ...order, amountOut: most + 1n }, terms)).toMatchObject({
      refused: true,
      code: "PRICE_MOVED",
    });
    expect(intentOf({ ...order, slippagePpm: 0 }).amountOutMin).toBe(gives);
    expect(reviewSwap({ ...order, slippagePpm: 0, amountOut: gives + 1n }, terms)).toMatchObject({
      code: "PRICE_MOVED",
    });
  });

  it("are never less than one unit", () => {
    const dust = { ...order, amountIn: 3n, amountOut: 1n, slippagePpm: 500_000 };
    const steps = dust.steps.map(({ amountIn: _, amountOut: __, ...step }) => step);
    const intent = intentOf({ ...dust, steps, fee: { recipient: PARTNER, bps: 1_000 } });
    expect(intent.amountOutMin).toBe(1n);
    expect(intent.feeAmount).toBe(0n);
  });
});

describe("the limits of exact output", () => {
  const order = orderOf(market, ONE_HOP, { kind: "exactOut" });
  const takes = order.amountIn;

  it("start from what was quoted where that is less, and from what it takes now where it is not", () => {
    const room = (amount: bigint) => (amount * 1_005_000n) / 1_000_000n;
    expect(intentOf(order)).toMatchObject({
      ...{ amountIn: takes, amountInMax: room(takes) },
      ...{ amountOut: order.amountOut, amountOutMin: order.amountOut },
    });
    expect(intentOf({ ...order, amountIn: takes - 10n ** 15n }).amountInMax).toBe(
      room(takes - 10n ** 15n),
    );
    expect(intentOf({ ...order, amountIn: takes * 2n }).amountInMax).toBe(room(takes));
  });

  it("refuse a price that moved by more than the slippage, and no wei earlier", () => {
    // The least that may have been quoted: now × 1e6 ≤ quoted × 1,005,000.
    const least = (takes * 1_000_000n + 1_004_999n) / 1_005_000n;
    expect(intentOf({ ...order, amountIn: least }).amountInMax).toBeGreaterThanOrEqual(takes);
    expect(reviewSwap({ ...order, amountIn: least - 1n }, terms)).toMatchObject({
      code: "PRICE_MOVED",
    });
  });

  it("take the fee off what comes out", () => {
    const fee = { recipient: PARTNER, bps: 250 };
    const feeAmount = (order.amountOut * 250n) / 10_000n;
    expect(intentOf({ ...order, fee })).toMatchObject({
      feeAmount,
      amountOutMin: order.amountOut - feeAmount,
    });
  });

  it("leave no room at all where rounding alone could use it up", () => {
    expect(intentOf({ ...order, slippagePpm: 0 }).amountInMax).toBe(takes);
    const dust = { ...order, amountIn: 204n, amountOut: 200n, steps: bare(order) };
    expect(intentOf({ ...dust, slippagePpm: 50_000 }).amountInMax).toBeGreaterThan(205n);
    const tight = intentOf({ ...dust, slippagePpm: 5_000 });
    expect(tight.amountInMax).toBe(tight.amountIn);
  });
});

describe("native to wrapped and back", () => {
  const wrap: SwapOrder = {
    ...{
      sender: SENDER,
      tokenIn: WRAPPED,
      tokenOut: WRAPPED,
      isNativeIn: true,
      isNativeOut: false,
    },
    ...{ kind: "exactIn", amountIn: 5n, amountOut: 5n, steps: [], slippagePpm: 5_000 },
  };

  it("is one for one, without a pool", () => {
    expect(intentOf(wrap)).toMatchObject({
      ...{ paths: [], amountIn: 5n, amountInMax: 5n, amountOut: 5n, amountOutMin: 5n },
      ...{ isNativeIn: true, isNativeOut: false },
    });
    const back = { ...wrap, isNativeIn: false, isNativeOut: true, kind: "exactOut" } as const;
    expect(intentOf(back)).toMatchObject({ isNativeOut: true, amountOutMin: 5n });
  });

  it("is nothing else", () => {
    const path = (order: SwapOrder) => {
      const refusal = reviewSwap(order, terms);
      return "refused" in refusal ? [refusal.code, refusal.path] : "an intent";
    };
    expect(path({ ...wrap, isNativeOut: true })).toEqual(["INVALID_REQUEST", ["quote", "tokenB"]]);
    expect(path({ ...wrap, isNativeIn: false })).toEqual(["INVALID_REQUEST", ["quote", "tokenB"]]);
    expect(path({ ...wrap, amountOut: 4n })).toEqual(["INVALID_REQUEST", ["quote", "amountOut"]]);
    const other = { ...wrap, tokenIn: token(1), tokenOut: token(1) };
    expect(path(other)).toEqual(["INVALID_REQUEST", ["quote", "tokenB"]]);
    const { steps } = orderOf(market, ONE_HOP);
    expect(path({ ...wrap, steps })).toEqual(["INVALID_REQUEST", ["quote", "routePlan"]]);
  });
});

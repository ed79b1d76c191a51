import type { PlannedRoute } from "@millrace/core";
import { describe, expect, it } from "vitest";
import { reviewSwap } from "../../src/review/reviewSwap.ts";
import type { SwapOrder } from "../../src/SwapOrder.ts";
import {
  address,
  bare,
  FRIEND,
  type Hop,
  NOW_SECONDS,
  orderOf,
  PARTNER,
  pool,
  TABLE,
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

describe("an order is refused", () => {
  const order = orderOf(market, ONE_HOP);
  const split = orderOf(market, TWO_PATHS);
  const step = (place: number, change: Partial<SwapOrder["steps"][number]>, of = order) => ({
    steps: of.steps.map((own, index) => (index === place ? { ...own, ...change } : own)),
  });
  const reversed = {
    ...{ pool: pool("UNISWAP_V3", 0, 1), tokenIn: token(1), tokenOut: token(0) },
  };
  const hop = (dex: Parameters<typeof pool>[0], from: number, to: number) => ({
    pool: pool(dex, from, to),
    tokenIn: token(from),
    tokenOut: token(to),
  });
  const nobody = address(0x7777);
  const plan = (...rest: ReadonlyArray<string | number>) => ["quote", "routePlan", ...rest];

  const cases: ReadonlyArray<readonly [string, Partial<SwapOrder>, string, (string | number)[]?]> =
    [
      ["of a token that the graph has not", { tokenIn: nobody }, "UNKNOWN_TOKEN"],
      ["of an output token that it has not", { tokenOut: nobody }, "UNKNOWN_TOKEN"],
      ["of a token that is no address", { tokenOut: "0x12" }, "UNKNOWN_TOKEN"],
      ["with a pool that the graph has not", step(0, { pool: nobody }), "UNKNOWN_POOL"],
      ["with a pool that is no address", step(0, { pool: "0xzz" }), "UNKNOWN_POOL"],
      ["with a token as a pool", step(0, { pool: token(1) }), "UNKNOWN_POOL"],
      ["of nothing", { amountIn: 0n }, "AMOUNT_TOO_SMALL"],
      ["for nothing", { amountOut: 0n }, "AMOUNT_TOO_SMALL"],
      ["of less than nothing", { amountIn: -1n }, "INVALID_REQUEST", ["quote", "amountIn"]],
      [
        "for too wide a number",
        { amountOut: 1n << 256n },
        "INVALID_REQUEST",
        ["quote", "amountOut"],
      ],
      [
        "of more than the pool takes",
        { amountIn: 1n << 200n, steps: bare(order) },
        "INSUFFICIENT_LIQUIDITY",
      ],
      ["of so little that nothing comes", { amountIn: 1n, steps: bare(order) }, "AMOUNT_TOO_SMALL"],
      [
        "with a foreign token in a step",
        step(0, { tokenIn: token(3) }),
        "INVALID_REQUEST",
        plan(0, "tokenA"),
      ],
      [
        "with a foreign output in a step",
        step(0, { tokenOut: token(3) }),
        "INVALID_REQUEST",
        plan(0, "tokenB"),
      ],
      [
        "with an unknown token in a step",
        step(0, { tokenOut: nobody }),
        "INVALID_REQUEST",
        plan(0, "tokenB"),
      ],
      [
        "with one token twice in a step",
        step(0, { tokenOut: token(0) }),
        "INVALID_REQUEST",
        plan(0, "tokenB"),
      ],
      [
        "with its tokens swapped",
        { tokenIn: token(1), tokenOut: token(0) },
        "INVALID_REQUEST",
        plan(0, "tokenA"),
      ],
      ["that ends elsewhere", { tokenOut: token(2) }, "INVALID_REQUEST", plan(0, "tokenB")],
      ["without steps", { steps: [] }, "INVALID_REQUEST", plan()],
      [
        "with steps that do not link",
        { tokenOut: token(3), steps: [hop("UNISWAP_V2", 0, 1), hop("UNISWAP_V2", 2, 3)] },
        "INVALID_REQUEST",
        plan(1, "tokenA"),
      ],
      [
        "that goes in a circle",
        { steps: [hop("UNISWAP_V2", 0, 2), hop("UNISWAP_V2", 2, 0), hop("UNISWAP_V3", 0, 1)] },
        "INVALID_REQUEST",
        plan(1, "tokenB"),
      ],
      [
        "that passes its own end",
        { steps: [hop("UNISWAP_V2", 0, 1), hop("UNISWAP_V2", 1, 2), hop("UNISWAP_V3", 2, 1)] },
        "INVALID_REQUEST",
        plan(2, "tokenB"),
      ],
      [
        "that goes back the way it came",
        { steps: [...order.steps, reversed] },
        "INVALID_REQUEST",
        plan(1, "tokenB"),
      ],
      [
        "of a path of five pools",
        {
          tokenOut: token(4),
          steps: [0, 1, 2, 3].map((n) => hop("UNISWAP_V2", n, n + 1)).concat(hop("OTHER_V2", 4, 1)),
        },
        "INVALID_REQUEST",
        plan(4, "tokenA"),
      ],
      [
        "of more than 64 paths",
        {
          amountIn: 65n,
          steps: Array.from({ length: 65 }, () => ({ ...hop("UNISWAP_V2", 0, 1), amountIn: 1n })),
        },
        "INVALID_REQUEST",
        plan(),
      ],
      [
        "of a million steps",
        { steps: Array.from({ length: 1_000_000 }, () => hop("UNISWAP_V2", 0, 1)) },
        "INVALID_REQUEST",
        plan(),
      ],
      [
        "with a pool that paths use both ways",
        {
          tokenOut: token(3),
          steps: [
            ...[hop("UNISWAP_V2", 0, 1), hop("UNISWAP_V2", 1, 2), hop("UNISWAP_V2", 2, 3)],
            ...[hop("OTHER_V2", 0, 2), hop("UNISWAP_V2", 2, 1), hop("OTHER_V2", 1, 3)],
          ],
        },
        "INVALID_REQUEST",
        plan(4, "poolAddress"),
      ],
      [
        "with another amount in its only path",
        step(0, { amountIn: 7n }),
        "INVALID_REQUEST",
        plan(),
      ],
      [
        "of native input that is none",
        { isNativeIn: true, tokenIn: token(1), tokenOut: token(0), steps: [reversed] },
        "INVALID_REQUEST",
        ["quote", "tokenA"],
      ],
      [
        "of native output that is none",
        { isNativeOut: true },
        "INVALID_REQUEST",
        ["quote", "tokenB"],
      ],
      ["with a slippage below 0", { slippagePpm: -1 }, "INVALID_REQUEST", ["slippage"]],
      ["with a slippage above 50 %", { slippagePpm: 500_001 }, "INVALID_REQUEST", ["slippage"]],
      ["with half a millionth of slippage", { slippagePpm: 0.5 }, "INVALID_REQUEST", ["slippage"]],
      [
        "with a slippage that is no number",
        { slippagePpm: Number.NaN },
        "INVALID_REQUEST",
        ["slippage"],
      ],
      ["with a deadline past", { deadline: NOW_SECONDS - 1 }, "INVALID_REQUEST", ["deadline"]],
      [
        "with a deadline too far",
        { deadline: NOW_SECONDS + 3_601 },
        "INVALID_REQUEST",
        ["deadline"],
      ],
      [
        "with a deadline that is no number",
        { deadline: Number.NaN },
        "INVALID_REQUEST",
        ["deadline"],
      ],
      [
        "with half a second of deadline",
        { deadline: NOW_SECONDS + 0.5 },
        "INVALID_REQUEST",
        ["deadline"],
      ],
      [
        "with an endless deadline",
        { deadline: Number.POSITIVE_INFINITY },
        "INVALID_REQUEST",
        ["deadline"],
      ],
    ];
  for (const [name, change, code, path] of cases) {
    it(name, () => {
      const refusal = reviewSwap({ ...order, ...change }, terms);
      expect(refusal).toMatchObject({ refused: true, code });
      expect("refused" in refusal && refusal.path).toEqual(path);
    });
  }

  it("when amounts of its paths are missing, nothing, or do not add up to the wei", () => {
    const refusalOf = (change: Partial<SwapOrder>) => {
      const refusal = reviewSwap({ ...split, ...change }, terms);
      return "refused" in refusal ? [refusal.code, refusal.path] : "an intent";
    };
    const { amountIn: first } = split.steps[0]!;
    const { amountIn: _, ...unsaid } = split.steps[2]!;
    expect(refusalOf({ steps: [split.steps[0]!, split.steps[1]!, unsaid] })).toEqual([
      "INVALID_REQUEST",
      plan(2, "amountIn"),
    ]);
    expect(refusalOf(step(0, { amountIn: 0n }, split))).toEqual([
      "INVALID_REQUEST",
      plan(0, "amountIn"),
    ]);
    expect(refusalOf(step(0, { amountIn: -1n }, split))[1]).toEqual(plan(0, "amountIn"));
    expect(refusalOf(step(0, { amountIn: first! + 1n }, split))).toEqual([
      "INVALID_REQUEST",
      plan(),
    ]);
    expect(refusalOf({ amountIn: split.amountIn - 1n })).toEqual(["INVALID_REQUEST", plan()]);
    const out = orderOf(market, TWO_PATHS, { kind: "exactOut" });
    const wrong = { ...out, ...step(1, { amountOut: out.steps[1]!.amountOut! - 1n }, out) };
    expect(reviewSwap(wrong, terms)).toMatchObject({ code: "INVALID_REQUEST", path: plan() });
  });

  const swallowing: ReadonlyArray<readonly [string, SwapOrder["sender"]]> = [
    ["nobody", "0x0000000000000000000000000000000000000000"],
    ["the native placeholder", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"],
    ["a precompiled contract", "0x0000000000000000000000000000000000000001"],
    ["the last of them", "0x000000000000000000000000000000000000fFfF"],
    ["a pool", pool("OTHER_V2", 3, 4)],
    ["a token", token(4)],
    ["the wrapped native token", WRAPPED],
    ["the executor", TABLE.executor!],
    ["Permit2", TABLE.universalRouter!.permit2],
    ["no address", "0x12"],
    ["an address and more", `${FRIEND}00`],
  ];
  for (const [name, bad] of swallowing) {
    it(`when ${name} is to be paid`, () => {
      const refusal = (change: Partial<SwapOrder>) => reviewSwap({ ...order, ...change }, terms);
      const code = "INVALID_REQUEST";
      expect(refusal({ recipient: bad })).toMatchObject({ code, path: ["recipient"] });
      expect(refusal({ sender: bad })).toMatchObject({ code, path: ["publicKey"] });
      expect(refusal({ fee: { recipient: bad, bps: 5 } })).toMatchObject({
        code,
        path: ["partnerFees", "recipient"],
      });
    });
  }

  it("when its fee is below 0, above the cap, or no whole number", () => {
    for (const bps of [-1, 1_001, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(reviewSwap({ ...order, fee: { recipient: PARTNER, bps } }, terms)).toMatchObject({
        code: "INVALID_REQUEST",
        path: ["partnerFees", "fee"],
      });
    }
  });

  it("when it may need more gas than one transaction may use", () => {
    const refused = reviewSwap(order, { ...terms, gasLimit: 1_000 });
    expect(refused).toMatchObject({
      code: "NO_ROUTER",
      detail: expect.stringMatching(/may need \d+ gas.* use 1000$/),
    });
    expect(reviewSwap(order, { ...terms, gasLimit: 10_000_000 })).not.toHaveProperty("refused");
  });

  it("without anything being recomputed, unless all of it is in order", () => {
    const asked: PlannedRoute[] = [];
    const { recompute } = terms.engine;
    const engine = {
      ...terms.engine,
      recompute: (route: PlannedRoute) => {
        asked.push(route);
        return recompute(route);
      },
    };
    for (const [, change, code] of cases) {
      if (code === "INVALID_REQUEST") reviewSwap({ ...order, ...change }, { ...terms, engine });
    }
    expect(asked).toEqual([]);
    reviewSwap(order, { ...terms, engine });
    expect(asked).toHaveLength(1);
  });
});

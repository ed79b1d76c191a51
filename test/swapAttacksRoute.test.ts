import type { Address } from "@millrace/core";
import type { OrderedStep, SwapOrder } from "@millrace/execution";
import { describe, expect, it } from "vitest";
import { fork, nativeIn, one, upper } from "./reference/swapAttackOrders.ts";
import { build, orderOf, poolOf, TABLES } from "./reference/swapDesk.ts";
import {
  addressOf,
  EXECUTOR,
  FOREIGN_POOL,
  FOREIGN_TOKEN,
  NATIVE_PLACEHOLDER,
  STRANGER,
  TOKENS,
  WRAPPED,
} from "./reference/swapMarket.ts";
import { type Attack, expectOutcome } from "./reference/swapOutcomes.ts";

// Hand-made attacks on the route of an order: pools, tokens, the links between steps, the amounts
// that begin or end paths.

const path = orderOf([
  [
    ["UNISWAP_V2", 1, 3],
    ["UNISWAP_V3", 3, 4],
    ["OTHER_FIRST", 4, 2],
  ],
]);
const split = orderOf([
  [
    ["UNISWAP_V3", 1, 3],
    ["OTHER_V2", 3, 2],
  ],
  [["UNISWAP_V2", 1, 2]],
  [["OTHER_FIRST", 1, 2]],
]);
const outputs = orderOf(
  [
    [
      ["UNISWAP_V3", 1, 3],
      ["OTHER_V2", 3, 2],
    ],
    [["OTHER_FIRST", 1, 2]],
  ],
  { kind: "exactOut" },
);

type Steps = ReadonlyArray<OrderedStep>;

const withSteps = (order: SwapOrder, change: (steps: Steps) => Steps): SwapOrder => ({
  ...order,
  steps: change(order.steps),
});
const at = (order: SwapOrder, place: number, change: Partial<OrderedStep>): SwapOrder =>
  withSteps(order, (steps) => steps.with(place, { ...steps[place]!, ...change }));
const without = (order: SwapOrder, place: number, side: "amountIn" | "amountOut"): SwapOrder =>
  withSteps(order, (steps) => {
    const { [side]: _, ...step } = steps[place]!;
    return steps.with(place, step as OrderedStep);
  });
const address = (text: string) => text as Address;

const NO_POOLS: Readonly<Record<string, Address>> = {
  "a foreign pool": FOREIGN_POOL,
  "a token": TOKENS[1]!,
  "the wrapped native token": WRAPPED,
  "the executor": EXECUTOR,
  "an account": STRANGER,
  "the zero address": address(`0x${"0".repeat(40)}`),
  "the native token": NATIVE_PLACEHOLDER,
  "a prototype": address("__proto__"),
  "a constructor": address("constructor"),
  "too short a text": address("0x77"),
  "an empty text": address(""),
  "a look-alike x": address(poolOf(["UNISWAP_V2", 1, 3]).replace("x", "х")),
  "a full-width digit": address(poolOf(["UNISWAP_V2", 1, 3]).replace("7", "７")),
  "a blank before": address(` ${poolOf(["UNISWAP_V2", 1, 3])}`),
  "a blank behind": address(`${poolOf(["UNISWAP_V2", 1, 3])} `),
  "one digit of another": address(poolOf(["UNISWAP_V2", 1, 3]).replace("7", "8")),
};

const pools: ReadonlyArray<Attack> = [
  ...Object.entries(NO_POOLS).map(
    ([name, pool]): Attack => [name, at(path, 0, { pool }), "UNKNOWN_POOL"],
  ),
  ["a foreign pool at the end", at(path, 2, { pool: FOREIGN_POOL }), "UNKNOWN_POOL"],
  [
    "a pool of other tokens",
    at(path, 0, { pool: poolOf(["UNISWAP_V2", 4, 5]) }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "a pool of one other token",
    at(path, 1, { pool: poolOf(["UNISWAP_V3", 3, 5]) }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  ["a pool in capitals", at(path, 0, { pool: upper(poolOf(["UNISWAP_V2", 1, 3])) }), "ours"],
  [
    "another venue's pool of the same tokens",
    at(path, 0, { pool: poolOf(["OTHER_FIRST", 1, 3]) }),
    "ours",
  ],
  [
    "the same pool twice in a path",
    withSteps(path, ([first, ...rest]) => [
      first!,
      { ...first!, tokenIn: first!.tokenOut, tokenOut: TOKENS[4]! },
      ...rest,
    ]),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  [
    "there and back through a pool",
    withSteps(path, ([first, ...rest]) => [
      first!,
      { ...first!, tokenIn: first!.tokenOut, tokenOut: first!.tokenIn },
      first!,
      ...rest,
    ]),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
];

const tokens: ReadonlyArray<Attack> = [
  [
    "in and out exchanged",
    { ...path, tokenIn: path.tokenOut, tokenOut: path.tokenIn },
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "another token in",
    { ...path, tokenIn: TOKENS[5]! },
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "another token out",
    { ...path, tokenOut: TOKENS[5]! },
    "INVALID_REQUEST",
    "quote.routePlan.2.tokenB",
  ],
  [
    "the token between as the one out",
    { ...path, tokenOut: TOKENS[4]! },
    "INVALID_REQUEST",
    "quote.routePlan.2.tokenB",
  ],
  [
    "the token between as the one in",
    { ...path, tokenIn: TOKENS[3]! },
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  ["a token in capitals", { ...path, tokenIn: upper(path.tokenIn) }, "ours"],
  [
    "a step's tokens exchanged",
    at(path, 1, { tokenIn: TOKENS[4]!, tokenOut: TOKENS[3]! }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenA",
  ],
  [
    "the first step's tokens exchanged",
    at(path, 0, { tokenIn: TOKENS[3]!, tokenOut: TOKENS[1]! }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "one step, its tokens exchanged",
    at(fork, 0, { tokenIn: TOKENS[2]!, tokenOut: TOKENS[1]! }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "a step from a token to itself",
    at(path, 1, { tokenOut: TOKENS[3]! }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  [
    "a foreign token into a step",
    at(path, 1, { tokenIn: FOREIGN_TOKEN }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenA",
  ],
  [
    "a foreign token out of a step",
    at(path, 1, { tokenOut: FOREIGN_TOKEN }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  [
    "another token of the market out of a step",
    at(path, 1, { tokenOut: TOKENS[5]! }),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  [
    "the native token in a step",
    at(nativeIn, 0, { tokenIn: NATIVE_PLACEHOLDER }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "a prototype as a token",
    at(path, 0, { tokenOut: address("__proto__") }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenB",
  ],
  [
    "a token look-alike",
    at(path, 0, { tokenOut: address(TOKENS[3]!.replace("c", "с")) }),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenB",
  ],
];

/** Around a ring, and on. */
const ring: Steps = [
  { pool: poolOf(["OTHER_V2", 1, 3]), tokenIn: TOKENS[1]!, tokenOut: TOKENS[3]! },
  { pool: poolOf(["OTHER_V2", 3, 4]), tokenIn: TOKENS[3]!, tokenOut: TOKENS[4]! },
  { pool: poolOf(["OTHER_V2", 4, 1]), tokenIn: TOKENS[4]!, tokenOut: TOKENS[1]! },
];
const innerRing: Steps = [
  ring[0]!,
  ring[1]!,
  { pool: poolOf(["OTHER_FIRST", 3, 4]), tokenIn: TOKENS[4]!, tokenOut: TOKENS[3]! },
  { pool: poolOf(["OTHER_V2", 3, 2]), tokenIn: TOKENS[3]!, tokenOut: TOKENS[2]! },
];
const five: Steps = [
  [1, 3],
  [3, 4],
  [4, 5],
  [5, 0],
  [0, 2],
].map(([from, to]) => ({
  pool: poolOf(["OTHER_V2", from!, to!]),
  tokenIn: TOKENS[from!]!,
  tokenOut: TOKENS[to!]!,
}));
const many = (count: number): SwapOrder => {
  const step = { ...fork.steps[0]!, amountIn: 10n ** 12n };
  return {
    ...fork,
    slippagePpm: 500_000,
    ...{ amountIn: BigInt(count) * 10n ** 12n, amountOut: 1n },
    steps: new Array<OrderedStep>(count).fill(step),
  };
};

const links: ReadonlyArray<Attack> = [
  ["no steps", withSteps(path, () => []), "INVALID_REQUEST", "quote.routePlan"],
  [
    "no first step",
    withSteps(path, (steps) => steps.slice(1)),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "no middle step",
    withSteps(path, (steps) => steps.toSpliced(1, 1)),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenA",
  ],
  [
    "no last step",
    withSteps(path, (steps) => steps.slice(0, -1)),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenB",
  ],
  [
    "steps backwards",
    withSteps(path, (steps) => steps.toReversed()),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenA",
  ],
  [
    "steps out of order",
    withSteps(path, ([a, b, c]) => [a!, c!, b!]),
    "INVALID_REQUEST",
    "quote.routePlan.1.tokenA",
  ],
  [
    "a step twice",
    withSteps(path, ([a, b, c]) => [a!, b!, b!, c!]),
    "INVALID_REQUEST",
    "quote.routePlan.2.tokenA",
  ],
  [
    "a step after the end",
    withSteps(path, (steps) => [
      ...steps,
      { pool: poolOf(["UNISWAP_V2", 2, 5]), tokenIn: TOKENS[2]!, tokenOut: TOKENS[5]! },
    ]),
    "INVALID_REQUEST",
    "quote.routePlan.3.tokenB",
  ],
  [
    "around a ring",
    { ...path, steps: ring, tokenOut: TOKENS[1]! },
    "INVALID_REQUEST",
    "quote.tokenB",
  ],
  [
    "around a ring, and on",
    withSteps(path, (steps) => [...ring, ...steps]),
    "INVALID_REQUEST",
    "quote.routePlan.2.tokenB",
  ],
  [
    "around a ring between",
    withSteps(path, () => innerRing),
    "INVALID_REQUEST",
    "quote.routePlan.2.tokenB",
  ],
  [
    "five steps in a row",
    withSteps(path, () => five),
    "INVALID_REQUEST",
    "quote.routePlan.4.tokenA",
  ],
  [
    "a path whole, then again",
    withSteps(path, (steps) => [...steps, ...steps]),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  ["64 paths", many(64), "ours"],
  ["65 paths", many(65), "INVALID_REQUEST", "quote.routePlan"],
  ["257 steps", many(257), "INVALID_REQUEST", "quote.routePlan"],
  ["a million steps", many(1_000_000), "INVALID_REQUEST", "quote.routePlan"],
  [
    "a pool there in one path, back in another",
    withSteps(split, () => [
      {
        pool: poolOf(["OTHER_V2", 1, 3]),
        tokenIn: TOKENS[1]!,
        tokenOut: TOKENS[3]!,
        amountIn: 10n ** 18n,
      },
      { pool: poolOf(["OTHER_V2", 3, 4]), tokenIn: TOKENS[3]!, tokenOut: TOKENS[4]! },
      { pool: poolOf(["OTHER_V2", 4, 2]), tokenIn: TOKENS[4]!, tokenOut: TOKENS[2]! },
      {
        pool: poolOf(["OTHER_FIRST", 1, 4]),
        tokenIn: TOKENS[1]!,
        tokenOut: TOKENS[4]!,
        amountIn: 2n * 10n ** 18n + 3n,
      },
      { pool: poolOf(["OTHER_V2", 3, 4]), tokenIn: TOKENS[4]!, tokenOut: TOKENS[3]! },
      { pool: poolOf(["OTHER_FIRST", 3, 2]), tokenIn: TOKENS[3]!, tokenOut: TOKENS[2]! },
    ]),
    "INVALID_REQUEST",
    "quote.routePlan.4.poolAddress",
  ],
  [
    "a pool in two paths",
    withSteps(split, (steps) => steps.with(3, { ...steps[3]!, pool: steps[2]!.pool })),
    "ours",
  ],
  ["paths in another order", withSteps(split, ([a, b, c, d]) => [d!, c!, a!, b!]), "ours"],
  [
    "paths that are interleaved",
    withSteps(split, ([a, b, c, d]) => [a!, c!, b!, d!]),
    "INVALID_REQUEST",
    "quote.routePlan.0.tokenB",
  ],
];

const parts: ReadonlyArray<Attack> = [
  [
    "a unit more in a path",
    at(split, 2, { amountIn: split.steps[2]!.amountIn! + 1n }),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit less in a path",
    at(split, 2, { amountIn: split.steps[2]!.amountIn! - 1n }),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit more in all",
    { ...split, amountIn: split.amountIn + 1n },
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit less in all",
    { ...split, amountIn: split.amountIn - 1n },
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit from one path to another",
    at(at(split, 2, { amountIn: split.steps[2]!.amountIn! + 1n }), 3, {
      amountIn: split.steps[3]!.amountIn! - 1n,
    }),
    "ours",
  ],
  [
    "all of it in one path",
    at(at(at(split, 0, { amountIn: split.amountIn - 2n }), 2, { amountIn: 1n }), 3, {
      amountIn: 1n,
    }),
    "AMOUNT_TOO_SMALL",
  ],
  [
    "nothing in a path",
    at(at(split, 2, { amountIn: 0n }), 3, {
      amountIn: split.steps[2]!.amountIn! + split.steps[3]!.amountIn!,
    }),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountIn",
  ],
  [
    "less than nothing in a path",
    at(at(split, 2, { amountIn: -1n }), 3, {
      amountIn: split.steps[2]!.amountIn! + split.steps[3]!.amountIn! + 1n,
    }),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountIn",
  ],
  [
    "2^256 in a path",
    at(split, 2, { amountIn: 2n ** 256n }),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountIn",
  ],
  [
    "amounts that add up beyond 2^256",
    at(split, 2, { amountIn: split.steps[2]!.amountIn! + 2n ** 256n }),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountIn",
  ],
  [
    "no amount of a path",
    without(split, 2, "amountIn"),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountIn",
  ],
  ["no amount within a path", without(split, 1, "amountIn"), "ours"],
  ["a fantasy within a path", at(split, 1, { amountIn: 2n ** 300n, amountOut: -5n }), "ours"],
  ["a fantasy of what a path gives", at(split, 1, { amountOut: 10n ** 40n }), "ours"],
  ["no amount of the only path", without(path, 0, "amountIn"), "ours"],
  [
    "another amount of the only path",
    at(path, 0, { amountIn: path.amountIn + 1n }),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit more of a path's output",
    at(outputs, 1, { amountOut: outputs.steps[1]!.amountOut! + 1n }),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a unit less of all output",
    { ...outputs, amountOut: outputs.amountOut - 1n },
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "no output of a path",
    without(outputs, 2, "amountOut"),
    "INVALID_REQUEST",
    "quote.routePlan.2.amountOut",
  ],
  ["a fantasy of what an output takes", at(outputs, 0, { amountIn: 1n }), "ours"],
  ["output taken for input", { ...outputs, kind: "exactIn" }, "ours"],
  ["input taken for output", { ...split, kind: "exactOut" }, "ours"],
  [
    "exchanged inputs and outputs",
    withSteps(split, (steps) =>
      steps.map(({ amountIn, amountOut, ...step }) => ({
        ...step,
        amountIn: amountOut!,
        amountOut: amountIn!,
      })),
    ),
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
];

describe("an attack on the route of a swap", () => {
  const lists = { pools, tokens, links, parts };
  for (const [list, attacks] of Object.entries(lists)) {
    for (const [name, order, outcome, where] of attacks) {
      it(`through its ${list} comes to nothing: ${name}`, () => {
        expectOutcome(build(order), order, TABLES[0]!, outcome, where);
      });
    }
  }

  it("finds no router where the network has none that reaches a pool", () => {
    const [, withoutExecutor, withoutUniversal] = TABLES;
    for (const order of [fork, path, split, outputs]) {
      expect(build(order, withoutExecutor)).toMatchObject({ code: "NO_ROUTER" });
      expect(build(order, withoutUniversal).refused).not.toBe(true);
    }
    expect(build(one, withoutExecutor).refused).not.toBe(true);
  });

  it("begins from orders that are sound", () => {
    for (const order of [path, split, outputs]) expect(build(order).refused).not.toBe(true);
    expect(addressOf(1)).toBe(TOKENS[1]);
  });
});

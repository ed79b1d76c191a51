import type { OrderedStep, SwapOrder } from "@millrace/execution";
import { poolOf } from "../model/swapBuilder.ts";
import { TOKENS } from "../model/swapMarket.ts";
import {
  at,
  fork,
  outputs,
  path,
  type Steps,
  split,
  without,
  withSteps,
} from "./swapAttackOrders.ts";
import type { Attack } from "./swapOutcomes.ts";

// Hand-made attacks on how steps make paths, and on the amounts that begin or end them.

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

export const links: ReadonlyArray<Attack> = [
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
    withSteps({ ...split, slippagePpm: 50_000 }, (steps) =>
      steps.with(3, { ...steps[3]!, pool: steps[2]!.pool }),
    ),
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

export const parts: ReadonlyArray<Attack> = [
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

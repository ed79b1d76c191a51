import type { Address } from "@millrace/core";
import { poolOf } from "../model/swapBuilder.ts";
import {
  EXECUTOR,
  FOREIGN_POOL,
  FOREIGN_TOKEN,
  NATIVE_PLACEHOLDER,
  STRANGER,
  TOKENS,
  WRAPPED,
} from "../model/swapMarket.ts";
import { address, at, fork, nativeIn, path, upper, withSteps } from "./swapAttackOrders.ts";
import type { Attack } from "./swapOutcomes.ts";

// Hand-made attacks on pools and tokens of a route.

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

export const pools: ReadonlyArray<Attack> = [
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
    "another dex's pool of the same tokens",
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

export const tokens: ReadonlyArray<Attack> = [
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

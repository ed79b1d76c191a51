import type { Permit, SwapOrder } from "@millrace/execution";
import { poolOf } from "../model/swapBuilder.ts";
import {
  FOREIGN_POOL,
  FOREIGN_TOKEN,
  NATIVE_PLACEHOLDER,
  NOW_SECONDS,
  TOKENS,
} from "../model/swapMarket.ts";
import { PERMIT } from "../model/swapOrders.ts";
import {
  address,
  END,
  fork,
  nativeIn,
  nativeOut,
  ONE,
  one,
  output,
  wrap,
} from "./swapAttackOrders.ts";
import type { Attack } from "./swapOutcomes.ts";

// Hand-made attacks on how much is swapped, native or not, and by which signature. Each names the
// refusal that it must meet, or that the transaction is still ours in every field.

type Amounts = Partial<Pick<SwapOrder, "amountIn" | "amountOut">>;
/** Of an order whose steps say nothing of amounts. */
const bare = (order: SwapOrder, change: Amounts): SwapOrder => ({
  ...order,
  steps: order.steps.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn, tokenOut })),
  ...change,
});

export const amounts: ReadonlyArray<Attack> = [
  ...[fork, output].flatMap((order): Attack[] => [
    [`${order.kind}: nothing in`, bare(order, { amountIn: 0n }), "AMOUNT_TOO_SMALL"],
    [`${order.kind}: nothing out`, bare(order, { amountOut: 0n }), "AMOUNT_TOO_SMALL"],
    [
      `${order.kind}: less than nothing in`,
      bare(order, { amountIn: -1n }),
      "INVALID_REQUEST",
      "quote.amountIn",
    ],
    [
      `${order.kind}: less than nothing out`,
      bare(order, { amountOut: -1n }),
      "INVALID_REQUEST",
      "quote.amountOut",
    ],
    [
      `${order.kind}: negative in`,
      bare(order, { amountIn: -order.amountIn }),
      "INVALID_REQUEST",
      "quote.amountIn",
    ],
    [
      `${order.kind}: negative out`,
      bare(order, { amountOut: -order.amountOut }),
      "INVALID_REQUEST",
      "quote.amountOut",
    ],
    [
      `${order.kind}: 2^256 in`,
      bare(order, { amountIn: END }),
      "INVALID_REQUEST",
      "quote.amountIn",
    ],
    [
      `${order.kind}: 2^256 out`,
      bare(order, { amountOut: END }),
      "INVALID_REQUEST",
      "quote.amountOut",
    ],
    [
      `${order.kind}: 2^4096 in`,
      bare(order, { amountIn: 2n ** 4096n }),
      "INVALID_REQUEST",
      "quote.amountIn",
    ],
    [
      `${order.kind}: wrapped around in`,
      bare(order, { amountIn: order.amountIn + END }),
      "INVALID_REQUEST",
      "quote.amountIn",
    ],
    [
      `${order.kind}: wrapped around out`,
      bare(order, { amountOut: order.amountOut - END }),
      "INVALID_REQUEST",
      "quote.amountOut",
    ],
  ]),
  ["2^256 - 1 in", bare(fork, { amountIn: END - 1n }), "INSUFFICIENT_LIQUIDITY"],
  ["all that the router has in", bare(fork, { amountIn: 2n ** 255n }), "INSUFFICIENT_LIQUIDITY"],
  ["2^255 in, of V3", bare(one, { amountIn: 2n ** 255n }), "INSUFFICIENT_LIQUIDITY"],
  ["a flood in", bare(fork, { amountIn: 2n ** 120n }), "INSUFFICIENT_LIQUIDITY"],
  ["more out than there is", bare(output, { amountOut: 10n ** 30n }), "INSUFFICIENT_LIQUIDITY"],
  ["2^256 - 1 out", bare(output, { amountOut: END - 1n }), "INSUFFICIENT_LIQUIDITY"],
  ["a unit in", bare(one, { amountIn: 1n, amountOut: 1n }), "AMOUNT_TOO_SMALL"],
  ["quoted a unit more than it gives", bare(fork, { amountOut: fork.amountOut + 1n }), "ours"],
  ["quoted a unit less than it gives", bare(fork, { amountOut: fork.amountOut - 1n }), "ours"],
  ["quoted one unit only", bare(fork, { amountOut: 1n }), "ours"],
  ["quoted half", bare(fork, { amountOut: fork.amountOut / 2n }), "ours"],
  ["quoted 0.4 % more", bare(fork, { amountOut: (fork.amountOut * 1_004n) / 1_000n }), "ours"],
  [
    "quoted 0.6 % more",
    bare(fork, { amountOut: (fork.amountOut * 1_006n) / 1_000n }),
    "PRICE_MOVED",
  ],
  ["quoted twice", bare(fork, { amountOut: fork.amountOut * 2n }), "PRICE_MOVED"],
  ["quoted 2^256 - 1", bare(fork, { amountOut: END - 1n }), "PRICE_MOVED"],
  [
    "quoted a unit more, without slippage",
    bare({ ...fork, slippagePpm: 0 }, { amountOut: fork.amountOut + 1n }),
    "PRICE_MOVED",
  ],
  [
    "quoted at what half of it is, with half as slippage",
    bare({ ...fork, slippagePpm: 500_000 }, { amountOut: fork.amountOut * 2n }),
    "ours",
  ],
  [
    "quoted a unit beyond, with half as slippage",
    bare({ ...fork, slippagePpm: 500_000 }, { amountOut: fork.amountOut * 2n + 1n }),
    "PRICE_MOVED",
  ],
  ["output quoted for a unit less in", bare(output, { amountIn: output.amountIn - 1n }), "ours"],
  ["output quoted for half in", bare(output, { amountIn: output.amountIn / 2n }), "PRICE_MOVED"],
  ["output quoted for one unit in", bare(output, { amountIn: 1n }), "PRICE_MOVED"],
  ["output quoted for all the money", bare(output, { amountIn: END - 1n }), "ours"],
  ["output quoted for twice as much in", bare(output, { amountIn: output.amountIn * 2n }), "ours"],
  [
    "output for a unit less in, without slippage",
    bare({ ...output, slippagePpm: 0 }, { amountIn: output.amountIn - 1n }),
    "PRICE_MOVED",
  ],
  ["input taken for output", { ...fork, kind: "exactOut" }, "ours"],
  ["output taken for input", { ...output, kind: "exactIn" }, "ours"],
  ["native output taken for input", { ...nativeOut, kind: "exactOut" }, "ours"],
  ["native input taken for output", { ...nativeIn, kind: "exactOut" }, "ours"],
  ["a wrapping that gains", { ...wrap, amountOut: 701n }, "INVALID_REQUEST", "quote.amountOut"],
  ["a wrapping that loses", { ...wrap, amountOut: 699n }, "INVALID_REQUEST", "quote.amountOut"],
  ["a wrapping of nothing", { ...wrap, amountIn: 0n, amountOut: 0n }, "AMOUNT_TOO_SMALL"],
  [
    "a wrapping of 2^256",
    { ...wrap, amountIn: END, amountOut: END },
    "INVALID_REQUEST",
    "quote.amountIn",
  ],
  ["a wrapping, output fixed", { ...wrap, kind: "exactOut" }, "ours"],
];

export const natives: ReadonlyArray<Attack> = [
  [
    "native in, of a token that is not",
    { ...one, isNativeIn: true },
    "INVALID_REQUEST",
    "quote.tokenA",
  ],
  [
    "native out, of a token that is not",
    { ...one, isNativeOut: true },
    "INVALID_REQUEST",
    "quote.tokenB",
  ],
  ["native in, not said", { ...nativeIn, isNativeIn: false }, "ours"],
  ["native out, not said", { ...nativeOut, isNativeOut: false }, "ours"],
  [
    "native on the wrong side",
    { ...nativeIn, isNativeIn: false, isNativeOut: true },
    "INVALID_REQUEST",
    "quote.tokenB",
  ],
  ["native on both sides", { ...wrap, isNativeOut: true }, "INVALID_REQUEST", "quote.tokenB"],
  ["native on neither side", { ...wrap, isNativeIn: false }, "INVALID_REQUEST", "quote.tokenB"],
  ["an unwrapping", { ...wrap, isNativeIn: false, isNativeOut: true }, "ours"],
  [
    "a wrapping by a pool",
    { ...wrap, steps: nativeIn.steps },
    "INVALID_REQUEST",
    "quote.routePlan",
  ],
  [
    "a wrapping of another token",
    { ...wrap, tokenIn: TOKENS[1]!, tokenOut: TOKENS[1]! },
    "INVALID_REQUEST",
    "quote.tokenB",
  ],
  [
    "a wrapping of a foreign token",
    { ...wrap, tokenIn: FOREIGN_TOKEN, tokenOut: FOREIGN_TOKEN },
    "INVALID_REQUEST",
    "quote.tokenB",
  ],
  ["the placeholder as a token", { ...one, tokenIn: NATIVE_PLACEHOLDER }, "UNKNOWN_TOKEN"],
  ["zero as a token", { ...one, tokenIn: address(`0x${"0".repeat(40)}`) }, "UNKNOWN_TOKEN"],
  ["a foreign token in", { ...one, tokenIn: FOREIGN_TOKEN }, "UNKNOWN_TOKEN"],
  ["a foreign token out", { ...one, tokenOut: FOREIGN_TOKEN }, "UNKNOWN_TOKEN"],
  ["a pool as a token", { ...one, tokenOut: poolOf(ONE[0]![0]!) }, "UNKNOWN_TOKEN"],
  ["a foreign pool as a token", { ...one, tokenIn: FOREIGN_POOL }, "UNKNOWN_TOKEN"],
];

const permitted = (change: Partial<Permit>, order = fork): SwapOrder => ({
  ...order,
  permit: { ...PERMIT, ...change },
});
const signature = (text: string) => ({ signature: text as `0x${string}` });
const { expiration: _, ...withoutExpiration } = PERMIT;

export const permits: ReadonlyArray<Attack> = [
  ["a permit for the executor", permitted({}), "ours"],
  ["a permit for the Universal Router", permitted({}, one), "ours"],
  ["a permit of just what goes in", permitted({ amount: fork.amountIn }), "ours"],
  ["a permit without end", permitted({ amount: END - 1n, deadline: END - 1n }), "ours"],
  [
    "a permit of a unit less",
    permitted({ amount: fork.amountIn - 1n }),
    "INVALID_REQUEST",
    "permit.amount",
  ],
  [
    "a permit of what goes in, where more may",
    permitted({ amount: output.amountIn }, output),
    "INVALID_REQUEST",
    "permit.amount",
  ],
  ["a permit of nothing", permitted({ amount: 0n }), "INVALID_REQUEST", "permit.amount"],
  ["a negative permit", permitted({ amount: -1n }), "INVALID_REQUEST", "permit.amount"],
  ["a permit of 2^256", permitted({ amount: END }), "INVALID_REQUEST", "permit.amount"],
  [
    "a permit that has ended",
    permitted({ deadline: BigInt(NOW_SECONDS - 1) }),
    "INVALID_REQUEST",
    "permit.deadline",
  ],
  ["a permit that never began", permitted({ deadline: -1n }), "INVALID_REQUEST", "permit.deadline"],
  ["a permit until 2^256", permitted({ deadline: END }), "INVALID_REQUEST", "permit.deadline"],
  ["a negative nonce", permitted({ nonce: -1n }), "INVALID_REQUEST", "permit.nonce"],
  ["a nonce of 2^256", permitted({ nonce: END }), "INVALID_REQUEST", "permit.nonce"],
  [
    "a signature of 64 bytes",
    permitted(signature(`0x${"1f".repeat(64)}`)),
    "INVALID_REQUEST",
    "permit.signature",
  ],
  [
    "a signature of 66 bytes",
    permitted(signature(`0x${"1f".repeat(66)}`)),
    "INVALID_REQUEST",
    "permit.signature",
  ],
  ["a signature that is none", permitted(signature("0x")), "INVALID_REQUEST", "permit.signature"],
  [
    "a signature of other letters",
    permitted(signature(`0x${"zz".repeat(65)}`)),
    "INVALID_REQUEST",
    "permit.signature",
  ],
  [
    "a signature with a line end",
    permitted(signature(`0x${"1f".repeat(64)}1b\n`)),
    "INVALID_REQUEST",
    "permit.signature",
  ],
  [
    "a signature with another v",
    permitted(signature(`0x${"1f".repeat(64)}1d`)),
    "INVALID_REQUEST",
    "permit.signature",
  ],
  ["a parity for v", permitted(signature(`0x${"1f".repeat(64)}01`)), "ours"],
  ["capitals in a signature", permitted(signature(`0x${"1F".repeat(64)}1B`)), "ours"],
  [
    "capitals in a signature for Permit2",
    permitted(signature(`0x${"1F".repeat(64)}1B`), one),
    "ours",
  ],
  [
    "no expiration for Permit2",
    { ...one, permit: withoutExpiration },
    "INVALID_REQUEST",
    "permit.expiration",
  ],
  [
    "an expiration that has passed",
    permitted({ expiration: BigInt(NOW_SECONDS - 1) }, one),
    "INVALID_REQUEST",
    "permit.expiration",
  ],
  [
    "an expiration of 2^48",
    permitted({ expiration: 2n ** 48n }, one),
    "INVALID_REQUEST",
    "permit.expiration",
  ],
  [
    "a nonce of 2^48 for Permit2",
    permitted({ nonce: 2n ** 48n }, one),
    "INVALID_REQUEST",
    "permit.nonce",
  ],
  ["2^160 for Permit2", permitted({ amount: 2n ** 160n }, one), "INVALID_REQUEST", "permit.amount"],
  ["a permit of the native token", permitted({}, nativeIn), "INVALID_REQUEST", "permit"],
  ["a permit of a wrapping", permitted({}, wrap), "INVALID_REQUEST", "permit"],
  [
    "a permit of an unwrapping",
    permitted({}, { ...wrap, isNativeIn: false, isNativeOut: true }),
    "INVALID_REQUEST",
    "permit",
  ],
];

import type { Address } from "@millrace/core";
import type { OrderedStep, SwapOrder } from "@millrace/execution";
import { type Hop, orderOf } from "../model/swapBuilder.ts";
import { SENDER, WRAPPED } from "../model/swapMarket.ts";

export const ONE: ReadonlyArray<ReadonlyArray<Hop>> = [[["UNISWAP_V3", 1, 2]]];
const FORK: ReadonlyArray<ReadonlyArray<Hop>> = [[["OTHER_V2", 1, 2]]];
/** Orders that are sound, which the attacks begin from. */
export const one = orderOf(ONE);
export const fork = orderOf(FORK);
export const output = orderOf(FORK, { kind: "exactOut" });
export const nativeIn = orderOf([[["UNISWAP_V3", 0, 2]]], { isNativeIn: true });
export const nativeOut = orderOf([[["UNISWAP_V2", 2, 0]]], { isNativeOut: true });
export const wrap: SwapOrder = {
  ...{ sender: SENDER, tokenIn: WRAPPED, tokenOut: WRAPPED, kind: "exactIn", steps: [] },
  ...{ isNativeIn: true, isNativeOut: false, amountIn: 700n, amountOut: 700n, slippagePpm: 5_000 },
};

export const END = 2n ** 256n;
export const upper = (address: string) => `0x${address.slice(2).toUpperCase()}` as Address;
/** A stranger's text, where an address is meant. */
export const address = (text: string) => text as Address;

export const path = orderOf([
  [
    ["UNISWAP_V2", 1, 3],
    ["UNISWAP_V3", 3, 4],
    ["OTHER_FIRST", 4, 2],
  ],
]);
export const split = orderOf([
  [
    ["UNISWAP_V3", 1, 3],
    ["OTHER_V2", 3, 2],
  ],
  [["UNISWAP_V2", 1, 2]],
  [["OTHER_FIRST", 1, 2]],
]);
export const outputs = orderOf(
  [
    [
      ["UNISWAP_V3", 1, 3],
      ["OTHER_V2", 3, 2],
    ],
    [["OTHER_FIRST", 1, 2]],
  ],
  { kind: "exactOut" },
);

export type Steps = ReadonlyArray<OrderedStep>;

/** With other steps, another step, or a step that does not say an amount. */
export const withSteps = (order: SwapOrder, change: (steps: Steps) => Steps): SwapOrder => ({
  ...order,
  steps: change(order.steps),
});
export const at = (order: SwapOrder, place: number, change: Partial<OrderedStep>): SwapOrder =>
  withSteps(order, (steps) => steps.with(place, { ...steps[place]!, ...change }));
export const without = (
  order: SwapOrder,
  place: number,
  side: "amountIn" | "amountOut",
): SwapOrder =>
  withSteps(order, (steps) => {
    const { [side]: _, ...step } = steps[place]!;
    return steps.with(place, step as OrderedStep);
  });

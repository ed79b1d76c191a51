import type { Address } from "@millrace/core";
import type { SwapOrder } from "@millrace/execution";
import { type Hop, orderOf } from "./swapDesk.ts";
import { SENDER, WRAPPED } from "./swapMarket.ts";

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
export const address = (text: string) => text as Address;

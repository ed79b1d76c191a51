import { word } from "@millrace/protocols";
import type { RouterTable, SwapRouter } from "../SwapRouter.ts";

/** `deposit()` and `withdraw(uint256)` of the wrapped native token. */
const DEPOSIT = "0xd0e30db0";
const WITHDRAW = "0x2e1a7d4d";

/** The wrapped native token itself, for native to wrapped and back. */
export function wrapperRouter({ wrappedNative }: RouterTable): SwapRouter {
  return {
    kind: "wrapper",
    address: wrappedNative,
    allowance: "none",
    permitKind: undefined,
    dexSets: () => [],
    obstacle: ({ paths, recipient, sender, fee }) => {
      if (paths.length > 0) return "it only wraps and unwraps";
      if (recipient !== sender) return "what it gives goes to the sender, not to another recipient";
      return fee === undefined ? undefined : "it pays no fee";
    },
    encode: ({ amountIn, isNativeIn }) =>
      isNativeIn
        ? { to: wrappedNative, data: DEPOSIT, value: amountIn }
        : { to: wrappedNative, data: `${WITHDRAW}${word(amountIn)}`, value: 0n },
  };
}

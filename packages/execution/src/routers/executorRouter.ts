import type { Address, QuoteKind } from "@millrace/core";
import {
  addressWord,
  arrayWords,
  bytesWords,
  flagWord,
  legNamesOf,
  WORD_BYTES,
  word,
} from "@millrace/protocols";
import { toFunctionSelector } from "viem/utils";
import { executorAbi } from "../executor/abi.ts";
import type { Permit } from "../Permit.ts";
import type { SwapIntent } from "../SwapIntent.ts";
import type { RoutedSwap, SwapRouter } from "../SwapRouter.ts";
import {
  EXECUTOR_PROTOCOLS,
  type ExecutorEnds,
  executorEnds,
  executorLegs,
} from "./executorLegs.ts";
import { takesExactInput } from "./takesExactInput.ts";

type Name =
  | "swapExactInput"
  | "swapExactOutput"
  | "swapExactInputWithPermit"
  | "swapExactOutputWithPermit";

/** `0x` and eight digits. */
const SELECTORS = Object.fromEntries(
  executorAbi.flatMap((item) =>
    item.type === "function" ? [[item.name, toFunctionSelector(item)]] : [],
  ),
) as Record<Name, `0x${string}`>;

/** Words of an Order and of a Permit, both of fixed length. */
const ORDER_WORDS = 8;
const PERMIT_WORDS = 5;
/** v of a signature with parity 0, as `ecrecover` takes it. */
const V_OF_PARITY_0 = 27;

/** Our own contract, which reaches every family that `@millrace/protocols` can write. */
export function executorRouter(address: Address): SwapRouter {
  return {
    kind: "executor",
    address,
    allowance: "erc20",
    permitKind: "EIP-2612",
    dexSets: (kind, dexes) => [
      dexes.flatMap(({ protocol }, index) => (isReached(protocol, kind) ? [index] : [])),
    ],
    obstacle,
    encode: (intent, permit) => {
      const isInput = takesExactInput(intent);
      const amountIn = isInput ? intent.amountIn : intent.amountInMax;
      const name: Name = `${isInput ? "swapExactInput" : "swapExactOutput"}${permit === undefined ? "" : "WithPermit"}`;
      const headWords = ORDER_WORDS + 1 + (permit === undefined ? 0 : PERMIT_WORDS);
      const ends = executorEnds(intent);
      const data: `0x${string}` = `${SELECTORS[name]}${orderWords(intent, ends, amountIn)}${word(
        headWords * WORD_BYTES,
      )}${permit === undefined ? "" : permitWords(permit)}${arrayWords(
        intent.paths.map((path) => {
          const amount = word(isInput ? path.amountIn : path.amountOut);
          const legs = executorLegs(path, ends, intent.wrappedNative);
          return amount + word(2 * WORD_BYTES) + bytesWords(legs);
        }),
      )}`;
      return { to: address, data, value: intent.isNativeIn ? amountIn : 0n };
    },
  };
}

/** Whether it can execute a swap through any pool of the protocol. */
function isReached(protocol: string, kind: QuoteKind): boolean {
  return legNamesOf(protocol).every((name) => {
    const known = EXECUTOR_PROTOCOLS.get(name);
    return known !== undefined && (kind === "exactIn" || known.givesExactOutput);
  });
}

function obstacle(swap: RoutedSwap): string | undefined {
  if (swap.paths.length === 0) return "it swaps through pools only";
  const isInput = takesExactInput(swap);
  for (const { legs } of swap.paths) {
    for (const { protocol } of legs) {
      const known = EXECUTOR_PROTOCOLS.get(protocol);
      if (known === undefined) return `it has no leg of ${protocol}`;
      if (!isInput && !known.givesExactOutput) return `it has no exact output of ${protocol}`;
    }
  }
  return undefined;
}

function orderWords(intent: SwapIntent, ends: ExecutorEnds, amountIn: bigint): string {
  const { fee } = intent;
  return (
    addressWord(ends.tokenIn) +
    addressWord(ends.tokenOut) +
    word(amountIn) +
    word(intent.amountOutMin) +
    addressWord(intent.recipient) +
    (fee === undefined ? word(0) : feeWord(fee)) +
    word(intent.deadline) +
    flagWord(ends.nativeOut)
  );
}

/** Basis points above the 160 bits of the address. */
function feeWord({ bps, recipient }: NonNullable<SwapIntent["fee"]>): string {
  return bps.toString(16).padStart(24, "0") + recipient.slice(2);
}

/** The signature is r, s and v, one after the other; v may be written as the parity alone. */
function permitWords({ amount, deadline, signature }: Permit): string {
  const r = signature.slice(2, 66).toLowerCase();
  const s = signature.slice(66, 130).toLowerCase();
  const v = Number.parseInt(signature.slice(130), 16);
  return word(amount) + word(deadline) + word(v < V_OF_PARITY_0 ? v + V_OF_PARITY_0 : v) + r + s;
}

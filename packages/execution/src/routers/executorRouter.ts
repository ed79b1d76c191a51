import type { Address } from "@millrace/core";
import type { CalldataProtocol } from "@millrace/protocols";
import { calldataProtocols } from "@millrace/protocols";
import { toFunctionSelector } from "viem";
import { executorAbi } from "../executor/abi.ts";
import type { Permit } from "../Permit.ts";
import type { IntentPath, SwapIntent } from "../SwapIntent.ts";
import type { SwapRouter } from "../SwapRouter.ts";
import { takesExactInput } from "./takesExactInput.ts";
import { addressWord, arrayWords, flagWord, WORD_BYTES, word } from "./words.ts";

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

const PROTOCOLS: ReadonlyMap<string, CalldataProtocol> = new Map(
  calldataProtocols.map((protocol) => [protocol.name, protocol]),
);

/** Words of an Order and of a Permit, both of fixed length. */
const ORDER_WORDS = 8;
const PERMIT_WORDS = 5;
/** Of a signature, as `ecrecover` has it. */
const V_OF_PARITY_0 = 27;

/** Our own contract, which reaches every family that `@millrace/protocols` can write. */
export function executorRouter(address: Address): SwapRouter {
  return {
    kind: "executor",
    address,
    allowance: "erc20",
    permitKind: "EIP-2612",
    dexSets: (_kind, dexes) => [
      dexes.flatMap(({ protocol }, index) => (PROTOCOLS.has(protocol) ? [index] : [])),
    ],
    obstacle: ({ paths }) => {
      if (paths.length === 0) return "it swaps through pools only";
      for (const { legs } of paths) {
        const leg = legs.find(({ protocol }) => !PROTOCOLS.has(protocol));
        if (leg !== undefined) return `it has no leg of ${leg.protocol}`;
      }
      return undefined;
    },
    encode: (intent, permit) => {
      const isInput = takesExactInput(intent);
      const amountIn = isInput ? intent.amountIn : intent.amountInMax;
      const name: Name = `${isInput ? "swapExactInput" : "swapExactOutput"}${permit === undefined ? "" : "WithPermit"}`;
      const headWords = ORDER_WORDS + 1 + (permit === undefined ? 0 : PERMIT_WORDS);
      const data: `0x${string}` = `${SELECTORS[name]}${orderWords(intent, amountIn)}${word(
        headWords * WORD_BYTES,
      )}${permit === undefined ? "" : permitWords(permit)}${arrayWords(
        intent.paths.map((path) => pathWords(path, isInput)),
      )}`;
      return { to: address, data, value: intent.isNativeIn ? amountIn : 0n };
    },
  };
}

function orderWords(intent: SwapIntent, amountIn: bigint): string {
  const { fee } = intent;
  return (
    addressWord(intent.tokenIn) +
    addressWord(intent.tokenOut) +
    word(amountIn) +
    word(intent.amountOutMin) +
    addressWord(intent.recipient) +
    (fee === undefined ? word(0) : feeWord(fee)) +
    word(intent.deadline) +
    flagWord(intent.isNativeOut)
  );
}

/** Basis points above the 160 bits of the address. */
function feeWord({ bps, recipient }: NonNullable<SwapIntent["fee"]>): string {
  return bps.toString(16).padStart(24, "0") + recipient.slice(2);
}

function pathWords({ amountIn, amountOut, legs }: IntentPath, isInput: boolean): string {
  let words = word(isInput ? amountIn : amountOut) + word(2 * WORD_BYTES) + word(legs.length);
  for (const leg of legs) {
    words += word(PROTOCOLS.get(leg.protocol)!.executorLeg(leg)) + addressWord(leg.tokenOut);
  }
  return words;
}

/** The signature is r, s and v, one after the other; v may be written as the parity alone. */
function permitWords({ amount, deadline, signature }: Permit): string {
  const r = signature.slice(2, 66).toLowerCase();
  const s = signature.slice(66, 130).toLowerCase();
  const v = Number.parseInt(signature.slice(130), 16);
  return word(amount) + word(deadline) + word(v < V_OF_PARITY_0 ? v + V_OF_PARITY_0 : v) + r + s;
}

import type { Address } from "@millrace/core";
import type { Permit } from "../Permit.ts";
import type { SwapLeg } from "../SwapIntent.ts";
import { addressWord, arrayWords, bytesWords, flagWord, WORD_BYTES, word } from "./words.ts";

/** `execute(bytes,bytes[],uint256)`. */
const EXECUTE = "0x3593564c";

// `Commands.sol` of universal-router 2.0.
const V3_SWAP_EXACT_IN = "00";
const V3_SWAP_EXACT_OUT = "01";
const SWEEP = "04";
const PAY_PORTION = "06";
const V2_SWAP_EXACT_IN = "08";
const V2_SWAP_EXACT_OUT = "09";
const WRAP_ETH = "0b";
const UNWRAP_WETH = "0c";
/**
 * 0x0a with FLAG_ALLOW_REVERT: anybody may have used a signature before us. Then the allowance is
 * there, and it is the payment that tells.
 */
const PERMIT2_PERMIT = "8a";

/** The router itself as a recipient (`ActionConstants.ADDRESS_THIS`). */
export const ROUTER: Address = "0x0000000000000000000000000000000000000002";
/** Of a V3 swap: all that the router has (`ActionConstants.CONTRACT_BALANCE`). */
export const ALL_OF_IT = 1n << 255n;
/** Of a V2 swap: its first pair has been paid (`Constants.ALREADY_PAID`). */
export const PAID_ALREADY = 0n;

/** A swap through consecutive pools of one kind. */
interface SwapCommand {
  readonly legs: ReadonlyArray<SwapLeg>;
  readonly recipient: Address;
  readonly isPaidBySender: boolean;
}

/** Commands of a Universal Router 2.0, in the order of execution. */
export class Commands {
  #codes = "";
  readonly #inputs: string[] = [];

  /** The whole calldata. */
  execute(deadline: number): `0x${string}` {
    const codes = bytesWords(this.#codes);
    const codesAt = 3 * WORD_BYTES;
    const inputsAt = codesAt + codes.length / 2;
    const inputs = arrayWords(this.#inputs.map(bytesWords));
    return `${EXECUTE}${word(codesAt)}${word(inputsAt)}${word(deadline)}${codes}${inputs}`;
  }

  swapExactIn(
    kind: "v2" | "v3",
    swap: SwapCommand & { readonly amountIn: bigint; readonly amountOutMin: bigint },
  ): void {
    const code = kind === "v2" ? V2_SWAP_EXACT_IN : V3_SWAP_EXACT_IN;
    const path = kind === "v2" ? pairPath(swap.legs) : poolPath(swap.legs);
    this.#swap(code, swap, swap.amountIn, swap.amountOutMin, path);
  }

  swapExactOut(
    kind: "v2" | "v3",
    swap: SwapCommand & { readonly amountOut: bigint; readonly amountInMax: bigint },
  ): void {
    const code = kind === "v2" ? V2_SWAP_EXACT_OUT : V3_SWAP_EXACT_OUT;
    const path = kind === "v2" ? pairPath(swap.legs) : poolPathBack(swap.legs);
    this.#swap(code, swap, swap.amountOut, swap.amountInMax, path);
  }

  #swap(code: string, swap: SwapCommand, amount: bigint, limit: bigint, path: string): void {
    this.#add(
      code,
      addressWord(swap.recipient) +
        word(amount) +
        word(limit) +
        word(5 * WORD_BYTES) +
        flagWord(swap.isPaidBySender) +
        path,
    );
  }

  wrap(amount: bigint): void {
    this.#add(WRAP_ETH, addressWord(ROUTER) + word(amount));
  }

  /** Of all that the router has of the wrapped native token. */
  unwrap(recipient: Address, amountMin: bigint): void {
    this.#add(UNWRAP_WETH, addressWord(recipient) + word(amountMin));
  }

  /** All that the router has of a token. */
  sweep(token: Address, recipient: Address, amountMin: bigint): void {
    this.#add(SWEEP, addressWord(token) + addressWord(recipient) + word(amountMin));
  }

  /** Of all that the router has of a token. */
  payPortion(token: Address, recipient: Address, bps: number): void {
    this.#add(PAY_PORTION, addressWord(token) + addressWord(recipient) + word(bps));
  }

  /** `PermitSingle` of Permit2, six words, and the signature. The permit has an expiration. */
  permit(token: Address, spender: Address, permit: Permit): void {
    this.#add(
      PERMIT2_PERMIT,
      addressWord(token) +
        word(permit.amount) +
        word(permit.expiration!) +
        word(permit.nonce) +
        addressWord(spender) +
        word(permit.deadline) +
        word(7 * WORD_BYTES) +
        bytesWords(permit.signature.slice(2).toLowerCase()),
    );
  }

  #add(code: string, input: string): void {
    this.#codes += code;
    this.#inputs.push(input);
  }
}

/** Tokens as an array of words. */
function pairPath(legs: ReadonlyArray<SwapLeg>): string {
  let words = word(legs.length + 1) + addressWord(legs[0]!.tokenIn);
  for (const { tokenOut } of legs) words += addressWord(tokenOut);
  return words;
}

/** Token, fee in three bytes, token, … */
function poolPath(legs: ReadonlyArray<SwapLeg>): string {
  let digits = legs[0]!.tokenIn.slice(2);
  for (const { feePips, tokenOut } of legs) digits += feeDigits(feePips) + tokenOut.slice(2);
  return bytesWords(digits);
}

/** Likewise from the last token to the first. */
function poolPathBack(legs: ReadonlyArray<SwapLeg>): string {
  let digits = legs[legs.length - 1]!.tokenOut.slice(2);
  for (let place = legs.length - 1; place >= 0; place--) {
    const { feePips, tokenIn } = legs[place]!;
    digits += feeDigits(feePips) + tokenIn.slice(2);
  }
  return bytesWords(digits);
}

function feeDigits(feePips: number): string {
  return feePips.toString(16).padStart(6, "0");
}

import type { Address } from "@millrace/core";
import {
  ALL_OF_IT,
  addressWord,
  arrayWords,
  bytesWords,
  type EncodedCommand,
  WORD_BYTES,
  word,
} from "@millrace/protocols";
import type { Permit } from "../Permit.ts";

/** `execute(bytes,bytes[],uint256)`. */
const EXECUTE = "0x3593564c";

// `Commands.sol` of universal-router 2.0, without the swaps.
const PERMIT2_TRANSFER_FROM = "02";
const SWEEP = "04";
const PAY_PORTION = "06";
const WRAP_ETH = "0b";
const UNWRAP_WETH = "0c";
/**
 * 0x0a with FLAG_ALLOW_REVERT: somebody may have used the signature before us. Then the allowance
 * is there already; if it is not, the payment fails.
 */
const PERMIT2_PERMIT = "8a";

/** The router itself as a recipient (`ActionConstants.ADDRESS_THIS`). */
export const ROUTER: Address = "0x0000000000000000000000000000000000000002";

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

  swap({ code, input }: EncodedCommand): void {
    this.#add(code, input);
  }

  /** From the sender to the router. */
  pull(token: Address, amount: bigint): void {
    this.#add(PERMIT2_TRANSFER_FROM, addressWord(token) + addressWord(ROUTER) + word(amount));
  }

  /** Wraps `amount` of the router's native tokens; by default all of them. */
  wrap(recipient: Address, amount: bigint = ALL_OF_IT): void {
    this.#add(WRAP_ETH, addressWord(recipient) + word(amount));
  }

  /** Unwraps all that the router has of the wrapped native token. */
  unwrap(recipient: Address, amountMin: bigint): void {
    this.#add(UNWRAP_WETH, addressWord(recipient) + word(amountMin));
  }

  /** All that the router has of a token. */
  sweep(token: Address, recipient: Address, amountMin: bigint): void {
    this.#add(SWEEP, addressWord(token) + addressWord(recipient) + word(amountMin));
  }

  /** Pays a part of all that the router has of a token. */
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

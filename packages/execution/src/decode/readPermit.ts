import type { Address } from "@millrace/core";
import type { WordReader } from "@millrace/protocols";

const WORD_BYTES = 32;

export interface RouterPermit {
  readonly token: Address;
  readonly amount: bigint;
  readonly expiration: bigint;
  readonly nonce: bigint;
  readonly spender: Address;
  readonly deadline: bigint;
  /** Hex digits, without `0x`. */
  readonly signature: string;
}

export function readPermit(input: WordReader): RouterPermit {
  const token = input.address("permit token");
  const amount = input.uint();
  const expiration = input.uint();
  const nonce = input.uint();
  const spender = input.address("permit spender");
  const deadline = input.uint();
  input.offset(7 * WORD_BYTES);
  const signature = input.bytes("permit signature");
  return { token, amount, expiration, nonce, spender, deadline, signature };
}

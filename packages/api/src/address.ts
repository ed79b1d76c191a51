import { keccak_256 } from "@noble/hashes/sha3";
import { Schema } from "effect";
import { type IssueTemplate, issueAnnotation } from "./issue.ts";

/** Address that stands for the native token on every network; any case. */
export const NATIVE_TOKEN = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** True for `0x` and 40 hex digits of any case. */
export const isAddress = (text: string): boolean => text.length === 42 && PATTERN.test(text);

/** True for two texts of one address, in any case. */
export const isSameAddress = (one: string, other: string): boolean =>
  // Checked first: most other addresses end in another digit.
  (one.charCodeAt(41) | CASE_BIT) === (other.charCodeAt(41) | CASE_BIT) &&
  one.toLowerCase() === other.toLowerCase();

/** True for the native token's address in any case. */
export const isNativeToken = (address: string): boolean =>
  // Checked first: nearly every other address ends in another digit.
  isLetterE(address.charCodeAt(41)) && address.toLowerCase() === NATIVE_LOWER_CASE;

/**
 * The EIP-55 form of a lower-case address: a letter is upper case where the same digit of the
 * Keccak-256 hash of the address text is 8 or more.
 */
export function checksumAddress(lowerCase: string): string {
  for (let index = 0; index < 40; index++) digits[index] = lowerCase.charCodeAt(2 + index);
  const hash = keccak_256(digits);
  let text = "0x";
  for (let index = 0; index < 40; index++) {
    const digit = lowerCase[2 + index]!;
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15;
    text += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return text;
}

/** The issue of a malformed address, with the keys of the contract. */
export const malformedAddress: IssueTemplate = {
  origin: "string",
  code: "invalid_format",
  format: "regex",
  pattern: "/^0x[a-fA-F0-9]{40}$/",
  message: "Invalid token address",
};

/** An address as clients send it, in any case. */
export const AddressJson = Schema.String.check(
  Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { [issueAnnotation]: malformedAddress }),
).annotate({
  identifier: "Address",
  description: "`0x` and 40 hex digits; any case is taken.",
  examples: ["0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"],
});

const PATTERN = /^0x[a-fA-F0-9]{40}$/;
const CASE_BIT = 0x20;
const isLetterE = (code: number): boolean => (code | CASE_BIT) === 101;
const NATIVE_LOWER_CASE = NATIVE_TOKEN.toLowerCase();

// All calls share one buffer: they are synchronous, and the hash does not keep it.
const digits = new Uint8Array(40);

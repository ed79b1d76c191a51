import type { Hex } from "@millrace/protocols";
import { hexToBytes, keccak256 } from "viem";

/** ABI words by hand: viem's general encoding costs too much for thousands of runs. */

const WORD = 1n << 256n;

/** 64 hex digits of an integer, negative ones in two's complement. */
export function word(value: bigint | number): string {
  const integer = BigInt(value);
  return (integer < 0n ? WORD + integer : integer).toString(16).padStart(64, "0");
}

/** 64 hex digits of an address. */
export function addressWord(address: string): string {
  return address.slice(2).padStart(64, "0");
}

export function hexOf(...words: ReadonlyArray<string>): Hex {
  return `0x${words.join("")}`;
}

/** The integer of the word at an index of hex digits without `0x`. */
export function wordAt(digits: string, index: number): bigint {
  return BigInt(`0x${digits.slice(64 * index, 64 * index + 64)}`);
}

export function numberAt(digits: string, index: number): number {
  return Number(BigInt.asIntN(256, wordAt(digits, index)));
}

export function addressAt(digits: string, index: number): Hex {
  return `0x${digits.slice(64 * index + 24, 64 * index + 64)}`;
}

/** A number as JSON-RPC writes quantities. */
export function quantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}

const BLOOM_BYTES = 256;

/** The header's bloom over addresses and topics of logs. */
export function bloomOf(
  logs: ReadonlyArray<{ readonly address: Hex; readonly topics: ReadonlyArray<Hex> }>,
): Hex {
  const bytes = Buffer.alloc(BLOOM_BYTES);
  for (const { address, topics } of logs) {
    for (const item of [address, ...topics]) {
      for (const bit of bitsOf(item)) bytes[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return `0x${bytes.toString("hex")}`;
}

const known = new Map<string, ReadonlyArray<number>>();

function bitsOf(item: Hex): ReadonlyArray<number> {
  const kept = known.get(item);
  if (kept !== undefined) return kept;
  const hash = hexToBytes(keccak256(item));
  const bits = [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 2047);
  known.set(item, bits);
  return bits;
}

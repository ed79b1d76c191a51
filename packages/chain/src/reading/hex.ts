import type { Hex } from "@millrace/protocols";

/** Hex texts from nodes: accepted in any case, passed on in lower case. */

const NO_LOWER_DIGIT = /[^0-9a-f]/;
const QUANTITY = /^0x[0-9a-f]{1,14}$/i;

/** Lower-case hex of bytes, of this many if given; undefined for anything else. */
export function readHex(raw: unknown, byteCount?: number): Hex | undefined {
  if (typeof raw !== "string" || !raw.startsWith("0x") || raw.length % 2 !== 0) return undefined;
  if (byteCount !== undefined && raw.length !== 2 + 2 * byteCount) return undefined;
  // Searching for a wrong character works over megabytes without using the stack.
  const digits = raw.slice(2);
  if (!NO_LOWER_DIGIT.test(digits)) return raw as Hex;
  const lower = digits.toLowerCase();
  return NO_LOWER_DIGIT.test(lower) ? undefined : `0x${lower}`;
}

/** A quantity that is a safe integer, or undefined. */
export function readSafeInteger(raw: unknown): number | undefined {
  if (typeof raw !== "string" || !QUANTITY.test(raw)) return undefined;
  const value = Number(raw);
  return Number.isSafeInteger(value) ? value : undefined;
}

export function writeQuantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}

export function byteLength(hex: string): number {
  return (hex.length - 2) / 2;
}

/** A whole number as hex digits of this many bytes, without 0x. */
export function toDigits(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, "0");
}

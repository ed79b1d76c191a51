import type { Hex } from "@millrace/protocols";

/** Hex texts of nodes: of any case when read, lower case when given on. */

const NO_LOWER_DIGIT = /[^0-9a-f]/;
const QUANTITY = /^0x[0-9a-f]{1,14}$/i;

/** Bytes as lower-case hex, of this count where one is given; undefined when they are not. */
export function readHex(raw: unknown, byteCount?: number): Hex | undefined {
  if (typeof raw !== "string" || !raw.startsWith("0x") || raw.length % 2 !== 0) return undefined;
  if (byteCount !== undefined && raw.length !== 2 + 2 * byteCount) return undefined;
  // A search for what does not belong: it runs over megabytes without a stack.
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

/** A whole number in so many bytes, without 0x. */
export function toDigits(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, "0");
}

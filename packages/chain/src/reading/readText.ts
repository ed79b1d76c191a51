import type { CallAnswer } from "@millrace/protocols";

/** Maximum number of code points kept of a text. */
const TEXT_LENGTH_MAX = 64;
/** Number of bytes that are looked at, so that a text of megabytes costs nothing. */
const BYTES_MAX = 1_024;
const WORD_DIGITS = 64;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The text in an untrusted answer, a `string` or, from old tokens, a `bytes32`; safe to show. Empty
 * when there is none.
 */
export function readText(answer: CallAnswer): string {
  if (answer === undefined) return "";
  const digits = answer.slice(2);
  // Up to the first zero byte, as a C string.
  const bytes = digits.length === WORD_DIGITS ? bytesOf(digits) : stringBytes(digits);
  const end = bytes.indexOf(0);
  return cleanText(decoder.decode(end < 0 ? bytes : bytes.subarray(0, end)));
}

/** The bytes of an ABI-encoded string; those that are there if it is cut off. */
function stringBytes(digits: string): Uint8Array {
  const offset = sizeAt(digits, 0);
  const byteCount = sizeAt(digits, 2 * offset);
  const start = 2 * offset + WORD_DIGITS;
  return bytesOf(digits.slice(start, start + 2 * Math.min(byteCount, BYTES_MAX)));
}

/** A word read as an offset or a size; beyond every end when it is neither. */
function sizeAt(digits: string, at: number): number {
  const size = Number.parseInt(digits.slice(at, at + WORD_DIGITS), 16);
  return Number.isSafeInteger(size) ? size : Number.MAX_SAFE_INTEGER / 4;
}

function bytesOf(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits, "hex"));
}

/**
 * Removes control, bidirectional, zero-width, unassigned and broken characters; limits the length.
 */
function cleanText(text: string): string {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\ufffd]/gu, "").normalize("NFC");
  return [...visible].slice(0, TEXT_LENGTH_MAX).join("").trim();
}

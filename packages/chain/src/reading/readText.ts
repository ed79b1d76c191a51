import type { CallAnswer } from "@millrace/protocols";

/** Code points that are kept of a text. */
const TEXT_LENGTH_MAX = 64;
/** Bytes that are looked at, so that a text of megabytes costs nothing. */
const BYTES_MAX = 1_024;
const WORD_DIGITS = 64;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The text in a stranger's answer, a `string` or, as old tokens give it, a `bytes32`; safe to show.
 * Empty when there is none.
 */
export function readText(answer: CallAnswer): string {
  if (answer === undefined) return "";
  const digits = answer.slice(2);
  // Until the first zero byte: what is behind it, no C string would show either.
  const bytes = digits.length === WORD_DIGITS ? bytesOf(digits) : stringBytes(digits);
  const end = bytes.indexOf(0);
  return cleanText(decoder.decode(end < 0 ? bytes : bytes.subarray(0, end)));
}

/** The bytes of an ABI-encoded string; as many as there are of one that is cut off. */
function stringBytes(digits: string): Uint8Array {
  const offset = sizeAt(digits, 0);
  const byteCount = sizeAt(digits, 2 * offset);
  const start = 2 * offset + WORD_DIGITS;
  return bytesOf(digits.slice(start, start + 2 * Math.min(byteCount, BYTES_MAX)));
}

/** A word that is an offset or a size; past every end when it is none. */
function sizeAt(digits: string, at: number): number {
  const size = Number.parseInt(digits.slice(at, at + WORD_DIGITS), 16);
  return Number.isSafeInteger(size) ? size : Number.MAX_SAFE_INTEGER / 4;
}

function bytesOf(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits, "hex"));
}

/** Without control, bidirectional, zero-width, unassigned or broken characters, and not long. */
function cleanText(text: string): string {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\ufffd]/gu, "").normalize("NFC");
  return [...visible].slice(0, TEXT_LENGTH_MAX).join("").trim();
}

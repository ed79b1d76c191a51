/** Readers of untrusted answers; undefined for a value of another form, or one that is too long. */

/** Far more than any answer that is asked for here. */
const BYTES_DIGITS_MAX = 16_384;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const WORD_DIGITS = 64;

/** Bytes, as lower-case hex. */
export function readBytes(raw: unknown): `0x${string}` | undefined {
  if (typeof raw !== "string" || raw.length > BYTES_DIGITS_MAX || !BYTES.test(raw))
    return undefined;
  return raw.toLowerCase() as `0x${string}`;
}

/** A number as JSON-RPC writes it; below 2^256. */
export function readQuantity(raw: unknown): bigint | undefined {
  return typeof raw === "string" && QUANTITY.test(raw) ? BigInt(raw) : undefined;
}

/** The number in one of the 32-byte words that a contract returned. */
export function readWord(bytes: `0x${string}` | undefined, index = 0): bigint | undefined {
  const start = 2 + index * WORD_DIGITS;
  const digits = bytes?.slice(start, start + WORD_DIGITS);
  return digits?.length === WORD_DIGITS ? BigInt(`0x${digits}`) : undefined;
}

const STRING_BYTES_MAX = 256;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of an ABI-encoded `string` whose offset is in a word; UTF-8 of at most 256 bytes. */
export function readString(bytes: `0x${string}` | undefined, index = 0): string | undefined {
  const offset = readWord(bytes, index);
  if (bytes === undefined || offset === undefined || offset > BigInt(bytes.length))
    return undefined;
  const start = 2 + 2 * Number(offset) + WORD_DIGITS;
  const lengthDigits = bytes.slice(start - WORD_DIGITS, start);
  if (lengthDigits.length !== WORD_DIGITS) return undefined;
  const length = BigInt(`0x${lengthDigits}`);
  if (length > STRING_BYTES_MAX) return undefined;
  const digits = bytes.slice(start, start + 2 * Number(length));
  if (digits.length !== 2 * Number(length)) return undefined;
  try {
    return decoder.decode(Buffer.from(digits, "hex"));
  } catch {
    return undefined;
  }
}

/** Addresses: 20 bytes inside the graph, `0x` and 40 hex digits outside. */

export const ADDRESS_BYTES = 20;

/** An EVM address as text: `0x` and 40 hex digits, any case when read, lower case when written. */
export type Address = `0x${string}`;

const HEX_LENGTH = 2 + 2 * ADDRESS_BYTES;

// Index: character code below 128. Value: the hex digit, or 255.
const DIGIT = new Uint8Array(128).fill(255);
for (let digit = 0; digit < 16; digit++) {
  DIGIT[digit.toString(16).charCodeAt(0)] = digit;
  DIGIT[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

// Index: byte. Value: its two lower-case hex digits.
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * Reads an address in any case into 20 bytes of `into`. False, with the content of `into`
 * undefined, when the text is not `0x` and 40 hex digits.
 */
export function parseAddress(text: string, into: Uint8Array, offset = 0): boolean {
  if (typeof text !== "string") return false;
  if (text.length !== HEX_LENGTH || text.charCodeAt(0) !== 48 || text.charCodeAt(1) !== 120) {
    return false;
  }
  for (let index = 0; index < ADDRESS_BYTES; index++) {
    const high = DIGIT[text.charCodeAt(2 + 2 * index)] ?? 255;
    const low = DIGIT[text.charCodeAt(3 + 2 * index)] ?? 255;
    if (high > 15 || low > 15) return false;
    into[offset + index] = (high << 4) | low;
  }
  return true;
}

/** The lower-case text of the 20 bytes at `offset`. */
export function formatAddress(bytes: Uint8Array, offset = 0): Address {
  let text = "0x";
  for (let index = offset; index < offset + ADDRESS_BYTES; index++) text += HEX[bytes[index]!]!;
  return text as Address;
}

/** Writes numbers and bytes one after the other; see `PackedReader`. */
export class PackedWriter {
  #bytes = new Uint8Array(1_024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** A copy of what was written; the writer is then empty. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Bytes since the last `take`. */
  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** A whole number from 0 to `Number.MAX_SAFE_INTEGER`: seven bits a byte, the low ones first. */
  count(value: number): void {
    if (!(value >= 0 && Number.isSafeInteger(value))) throw new RangeError(`no count: ${value}`);
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  float(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`no number: ${value}`);
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Only the last bytes of a number's eight; the first are those of another number. */
  floatEnd(value: number, length: number): void {
    this.#reserve(8);
    FLOATS.setFloat64(0, value);
    for (let at = 8 - length; at < 8; at++) this.#bytes[this.#length++] = FLOATS.getUint8(at);
  }

  /** An integer from 0 to 2^256 − 1: the number of its bytes, then the bytes. */
  amount(value: bigint): void {
    const digits = digitsOf(value);
    this.byte(digits.length >> 1);
    this.hex(digits, 0, digits.length >> 1);
  }

  /**
   * Two integers from 0 to 2^256 − 1: the numbers of their bytes, in four bits each or a byte of
   * their own, then the bytes.
   */
  amounts(one: bigint, other: bigint): void {
    const [first, second] = [digitsOf(one), digitsOf(other)];
    const lengths = [first.length >> 1, second.length >> 1] as const;
    this.byte(16 * Math.min(15, lengths[0]) + Math.min(15, lengths[1]));
    for (const length of lengths) if (length >= 15) this.byte(length);
    this.hex(first, 0, lengths[0]);
    this.hex(second, 0, lengths[1]);
  }

  /** This many bytes from hex digits, starting at a digit. */
  hex(digits: string, from: number, length: number): void {
    this.#reserve(length);
    for (let at = 0; at < length; at++) {
      const high = valueOfDigit(digits.charCodeAt(from + 2 * at));
      const low = valueOfDigit(digits.charCodeAt(from + 2 * at + 1));
      this.#bytes[this.#length++] = 16 * high + low;
    }
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** UTF-8 bytes, after their count. */
  text(text: string): void {
    const bytes = TEXT.encode(text);
    this.count(bytes.length);
    this.bytes(bytes);
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const bytes = new Uint8Array(2 * (this.#length + length));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

const FLOATS = new DataView(new ArrayBuffer(16));

/** How many last bytes of a number differ from those of another: 0 to 8. Both are finite. */
export function ownBytes(value: number, other: number): number {
  FLOATS.setFloat64(0, value);
  FLOATS.setFloat64(8, other);
  const high = FLOATS.getUint32(0) ^ FLOATS.getUint32(8);
  if (high !== 0) return 8 - (Math.clz32(high) >> 3);
  return 4 - (Math.clz32(FLOATS.getUint32(4) ^ FLOATS.getUint32(12)) >> 3);
}

/** Hex digits of whole bytes. */
function digitsOf(amount: bigint): string {
  if (amount < 0n || amount > AMOUNT_MAX) throw new RangeError(`no amount: ${amount}`);
  if (amount === 0n) return "";
  const digits = amount.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

const AMOUNT_MAX = 2n ** 256n - 1n;
const TEXT = new TextEncoder();

/** For a character code among 0-9, a-f, A-F. */
function valueOfDigit(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code & 0x5f) - 0x37;
}

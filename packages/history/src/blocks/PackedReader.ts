const FLOAT = new Float64Array(1);
/**
 * The number's lower half, then its upper one: every platform that Node runs on is little-endian.
 */
const HALVES = new Uint32Array(FLOAT.buffer);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Reads what `PackedWriter` wrote. Throws RangeError at the end of the bytes. */
export class PackedReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  /** Number of bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.at;
  }

  byte(): number {
    return this.#view.getUint8(this.at++);
  }

  count(): number {
    const first = this.#view.getUint8(this.at++);
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let weight = 0x80;
    for (;;) {
      const byte = this.#view.getUint8(this.at++);
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
      weight *= 0x80;
    }
  }

  float(): number {
    const value = this.#view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** A number whose first bytes are those of another number. */
  floatEnd(length: number, other: number): number {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError("the bytes end too early");
    FLOAT[0] = other;
    let low = HALVES[0]!;
    let high = HALVES[1]!;
    if (length > 4) high = length === 8 ? 0 : (high >>> (8 * (length - 4))) | 0;
    if (length >= 4) low = 0;
    else low >>>= 8 * length;
    for (; this.at < end - 4; this.at++) high = (high << 8) | this.#bytes[this.at]!;
    for (; this.at < end; this.at++) low = (low << 8) | this.#bytes[this.at]!;
    HALVES[0] = low;
    HALVES[1] = high;
    return FLOAT[0];
  }

  amount(): bigint {
    return BigInt(this.hex(this.byte()));
  }

  amounts(): readonly [bigint, bigint] {
    const [first, second] = this.#lengths();
    return [BigInt(this.hex(first)), BigInt(this.hex(second))];
  }

  skipAmounts(): void {
    const [first, second] = this.#lengths();
    this.at += first + second;
  }

  /** A copy of this many bytes, aligned for numbers of any width. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    if (!(length <= this.#bytes.length - this.at)) throw new RangeError("the end of the bytes");
    const copy = new Uint8Array(length);
    copy.set(this.#bytes.subarray(this.at, this.at + length));
    this.at += length;
    return copy;
  }

  text(): string {
    return TEXT.decode(this.bytes(this.count()));
  }

  /** This many bytes as hex digits, after `0x`. */
  hex(length: number): `0x${string}` {
    let digits = "";
    for (let at = 0; at < length; at++) digits += HEX[this.byte()];
    return `0x${digits === "" ? "0" : digits}`;
  }

  #lengths(): readonly [number, number] {
    const both = this.byte();
    const first = both >> 4 === 15 ? this.byte() : both >> 4;
    return [first, (both & 15) === 15 ? this.byte() : both & 15];
  }
}

const TEXT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

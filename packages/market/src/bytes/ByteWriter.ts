interface ArrayKind<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): A;
}

/** Each number, text and array begins at a multiple of this many bytes. */
export const ALIGNMENT = 8;

/** The first multiple of `ALIGNMENT` at or after a position. */
export function aligned(at: number): number {
  return ALIGNMENT * Math.ceil(at / ALIGNMENT);
}

/** Writes numbers, texts and typed arrays one after the other, little-endian; see `ByteReader`. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** Takes room for this many bytes at once; grows when more come. */
  constructor(capacity = 1 << 16) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written, from a position on; a view, so nothing may be written afterwards. */
  bytes(from = 0): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(from, this.#length);
  }

  number(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  text(text: string): void {
    // No UTF-16 unit takes more than three bytes of UTF-8.
    this.#reserve(aligned(4 + 3 * text.length));
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length + 4));
    this.#view.setUint32(this.#length, written, true);
    this.#length = aligned(this.#length + 4 + written);
  }

  /** Zero or positive. */
  bigint(value: bigint): void {
    this.text(value.toString(16));
  }

  array(array: Uint8Array | Uint32Array | Int32Array | Float64Array): void {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.number(array.length);
    // First, since this may replace `#bytes`.
    const at = this.#take(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** An array of zeros, to be filled before anything else is written. */
  zeros<A>(kind: ArrayKind<A>, length: number): A {
    this.number(length);
    const at = this.#take(length * kind.BYTES_PER_ELEMENT);
    return new kind(this.#bytes.buffer, at, length);
  }

  /** Reserves this many bytes; gives where they begin. */
  #take(count: number): number {
    this.#reserve(aligned(count));
    const at = this.#length;
    this.#length = aligned(at + count);
    return at;
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Numbers, texts and typed arrays one after the other, as `ByteReader` reads them; little-endian. */
export class ByteWriter {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** What was written, so far. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  number(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  text(text: string): void {
    // No UTF-16 unit takes more than three bytes of UTF-8.
    this.#reserve(4 + 3 * text.length);
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length + 4));
    this.#view.setUint32(this.#length, written, true);
    this.#length += 4 + written;
  }

  /** Zero or positive. */
  bigint(value: bigint): void {
    this.text(value.toString(16));
  }

  array(array: Uint8Array | Uint32Array | Int32Array | Float64Array): void {
    this.number(array.length);
    this.#reserve(array.byteLength);
    this.#bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), this.#length);
    this.#length += array.byteLength;
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

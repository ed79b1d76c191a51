import { aligned } from "./ByteWriter.ts";

/** Why bytes are not those of a `ByteWriter`. */
export class DamagedBytes extends Error {
  override readonly name = "DamagedBytes";
}

interface ArrayKind<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): A;
}

/** Reads what a `ByteWriter` wrote; throws DamagedBytes for anything else. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(bytes: Uint8Array) {
    // Not as Node's Buffer, whose `slice` does not copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Nothing is left. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  check(isTrue: boolean, what: string): void {
    if (!isTrue) this.fail(what);
  }

  fail(what: string): never {
    throw new DamagedBytes(`not ${what} at byte ${this.#at}`);
  }

  number(): number {
    const at = this.#take(8);
    return this.#view.getFloat64(at, true);
  }

  /** A whole number from 0 to `most`, inclusive. */
  count(most: number): number {
    const value = this.number();
    this.check(Number.isInteger(value) && value >= 0 && value <= most, `at most ${most}`);
    return value;
  }

  text(): string {
    const start = this.#at;
    this.check(start + 4 <= this.#bytes.length, "a text");
    const length = this.#view.getUint32(start, true);
    const at = this.#take(4 + length) + 4;
    try {
      return this.#decoder.decode(this.#bytes.subarray(at, at + length));
    } catch {
      throw new DamagedBytes(`no text at byte ${at}`);
    }
  }

  bigint(): bigint {
    const digits = this.text();
    this.check(/^[0-9a-f]{1,64}$/.test(digits), "a number");
    return BigInt(`0x${digits}`);
  }

  array<A>(kind: ArrayKind<A>): A {
    const length = this.count(this.#bytes.length);
    const at = this.#take(length * kind.BYTES_PER_ELEMENT);
    // A copy: aligned, and shared with nobody.
    return new kind(
      this.#bytes.slice(at, at + length * kind.BYTES_PER_ELEMENT).buffer as ArrayBuffer,
    );
  }

  /** Skips this many bytes; gives where they begin. */
  #take(count: number): number {
    const at = this.#at;
    this.check(aligned(at + count) <= this.#bytes.length, `${count} bytes more`);
    this.#at = aligned(at + count);
    return at;
  }
}

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** Shorter texts are a packet anyway. */
const GZIP_BYTES_MIN = 1_024;
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 2 ** 20 };

const compress = promisify(gzip);

/** Short forms of a text, by the names that HTTP has for them. */
export type Coding = "br" | "gzip";

/** A text as it is sent, to many: its bytes, what tells it from others, and its short forms. */
export class SentText {
  readonly bytes: Uint8Array;
  /** Of the text, in whatever form it is sent. */
  readonly etag: string;
  readonly #packed: Partial<Record<Coding, Promise<Uint8Array>>> = {};

  /** `packed`: the short forms that are there already. */
  constructor(
    bytes: Uint8Array,
    digest: string,
    packed: Readonly<Partial<Record<Coding, Uint8Array>>> = {},
  ) {
    this.bytes = bytes;
    this.etag = `W/"${digest}"`;
    if (packed.br !== undefined) this.#packed.br = Promise.resolve(packed.br);
    if (packed.gzip !== undefined) this.#packed.gzip = Promise.resolve(packed.gzip);
  }

  static of(text: string): SentText {
    const making = new SentTextMaking();
    making.add(text);
    return making.end();
  }

  /**
   * A short form; undefined where there is none, or it does not pay. Gzip is made once, by another
   * thread. Brotli takes too long for that: it is there from the start, or never.
   */
  packed(coding: Coding): Promise<Uint8Array> | undefined {
    if (coding === "gzip" && this.bytes.length >= GZIP_BYTES_MIN) {
      this.#packed.gzip ??= compress(this.bytes, GZIP);
    }
    return this.#packed[coding];
  }
}

/** A text that is made in parts. */
export class SentTextMaking {
  readonly #parts: Buffer[] = [];
  readonly #hash = createHash("sha1");

  add(text: string): void {
    const part = Buffer.from(text);
    this.#hash.update(part);
    this.#parts.push(part);
  }

  end(): SentText {
    return new SentText(Buffer.concat(this.#parts), this.#hash.digest("base64url"));
  }
}

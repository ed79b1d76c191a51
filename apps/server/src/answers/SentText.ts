import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** A shorter text fits into one packet anyway. */
const GZIP_BYTES_MIN = 1_024;
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 2 ** 20 };

const compress = promisify(gzip);

/** Content codings, by their names in HTTP. */
export type Coding = "br" | "gzip";

/** A text that is sent to many clients: its bytes, its ETag and its compressed forms. */
export class SentText {
  readonly bytes: Uint8Array;
  /** The same for all forms of the text. */
  readonly etag: string;
  readonly #packed: Partial<Record<Coding, Promise<Uint8Array>>> = {};

  /** `packed`: the compressed forms that exist already. */
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
   * The compressed form; undefined where there is none, or where it does not pay. Gzip is made
   * once, on another thread. Brotli takes too long for that: it is given at the start, or never.
   */
  packed(coding: Coding): Promise<Uint8Array> | undefined {
    if (coding === "gzip" && this.bytes.length >= GZIP_BYTES_MIN) {
      this.#packed.gzip ??= compress(this.bytes, GZIP);
    }
    return this.#packed[coding];
  }
}

/** Makes a text in parts. */
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

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** Shorter texts are a packet anyway. */
const GZIP_BYTES_MIN = 1_024;
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 2 ** 20 };

const compress = promisify(gzip);

/** A text as it is sent, to many: its bytes, what tells it from others, and its short form. */
export class SentText {
  readonly bytes: Uint8Array;
  /** Of the text, in whatever form it is sent. */
  readonly etag: string;
  #gzipped: Promise<Uint8Array> | undefined;

  /** `gzipped` where the short form is there already. */
  constructor(bytes: Uint8Array, digest: string, gzipped?: Uint8Array) {
    this.bytes = bytes;
    this.etag = `W/"${digest}"`;
    if (gzipped !== undefined) this.#gzipped = Promise.resolve(gzipped);
  }

  static of(text: string): SentText {
    const making = new SentTextMaking();
    making.add(text);
    return making.end();
  }

  /** In gzip, made once by another thread; undefined where it does not pay. */
  gzipped(): Promise<Uint8Array> | undefined {
    if (this.bytes.length >= GZIP_BYTES_MIN) this.#gzipped ??= compress(this.bytes, GZIP);
    return this.#gzipped;
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

import { createHash } from "node:crypto";

/**
 * Bytes in an envelope: a mark (4 bytes), the format version (1), a digest of mark, version and
 * content (16), then the content.
 */
const DIGEST_AT = 5;
const DIGEST_BYTES = 16;
const BODY_AT = DIGEST_AT + DIGEST_BYTES;

/**
 * The kind of content in an envelope: a mark of four characters, and the version that this code
 * writes.
 */
export interface SealedForm {
  readonly mark: string;
  readonly version: number;
}

/** Why bytes cannot be read. */
export class FeedBytesError extends Error {
  override readonly name = "FeedBytesError";
  /** `Newer`: written by a later version of this code, which is needed to read them. */
  readonly reason: "Foreign" | "Newer" | "Damaged";

  constructor(reason: FeedBytesError["reason"], detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}

export function seal({ mark, version }: SealedForm, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(BODY_AT + body.length);
  for (let at = 0; at < 4; at++) bytes[at] = mark.charCodeAt(at);
  bytes[4] = version;
  bytes.set(body, BODY_AT);
  bytes.set(digestOf(bytes), DIGEST_AT);
  return bytes;
}

/** Throws FeedBytesError for any changed, missing or added byte. */
export function unseal({ mark, version }: SealedForm, bytes: Uint8Array): Uint8Array {
  const isMarked = [...mark].every((character, at) => bytes[at] === character.charCodeAt(0));
  if (bytes.length < BODY_AT || !isMarked) {
    throw new FeedBytesError("Foreign", `the first bytes are not those of '${mark}'`);
  }
  const digest = digestOf(bytes);
  if (digest.some((byte, at) => byte !== bytes[DIGEST_AT + at])) {
    throw new FeedBytesError("Damaged", `the digest of '${mark}' is not that of its bytes`);
  }
  if (bytes[4] !== version) {
    throw new FeedBytesError("Newer", `version ${bytes[4]} of '${mark}', where ${version} is read`);
  }
  return bytes.subarray(BODY_AT);
}

const digestOf = (bytes: Uint8Array): Uint8Array =>
  createHash("sha256")
    .update(bytes.subarray(0, DIGEST_AT))
    .update(bytes.subarray(BODY_AT))
    .digest()
    .subarray(0, DIGEST_BYTES);

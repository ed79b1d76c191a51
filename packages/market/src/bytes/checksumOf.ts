import { crc32 } from "node:zlib";

/** Some tenths of a millisecond. */
const BYTES_A_SLICE = 1 << 18;

/** The CRC-32 of bytes, worked out in slices. */
export function* checksumOf(bytes: Uint8Array): Generator<void, number> {
  let checksum = 0;
  for (let at = 0; at < bytes.length; at += BYTES_A_SLICE) {
    checksum = crc32(bytes.subarray(at, at + BYTES_A_SLICE), checksum);
    yield;
  }
  return checksum;
}

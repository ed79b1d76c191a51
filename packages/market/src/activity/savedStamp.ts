import type { BlockStamp } from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";

export function writeStamp(writer: ByteWriter, { number, hash, timestampMs }: BlockStamp): void {
  writer.number(number);
  writer.text(hash);
  writer.number(timestampMs);
}

export function readStamp(reader: ByteReader): BlockStamp {
  const number = reader.count(Number.MAX_SAFE_INTEGER);
  const hash = reader.text();
  reader.check(/^0x[0-9a-f]*$/i.test(hash), "a hash");
  return {
    number,
    hash: hash as `0x${string}`,
    timestampMs: reader.count(Number.MAX_SAFE_INTEGER),
  };
}

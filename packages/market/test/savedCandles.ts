import { runToEnd } from "@millrace/core";
import { ByteWriter } from "../src/bytes/ByteWriter.ts";
import type { Candles } from "../src/candles/Candles.ts";

/** What `Candles.restore` takes. */
export function savedCandles(candles: Candles): Uint8Array {
  const writer = new ByteWriter();
  runToEnd(candles.write(writer));
  return writer.bytes();
}

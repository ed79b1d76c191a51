import type { Address, BlockStamp } from "@millrace/core";
import type { ByteReader } from "../bytes/ByteReader.ts";
import type { ByteWriter } from "../bytes/ByteWriter.ts";
import type { StoredTrade, TradeFloor } from "./StoredTrade.ts";
import { readStamp, writeStamp } from "./savedStamp.ts";

export function* writeTrades(
  writer: ByteWriter,
  trades: ReadonlyArray<StoredTrade>,
): Generator<void> {
  writer.number(trades.length);
  let before: BlockStamp | undefined;
  for (const trade of trades) {
    yield;
    // The trades of a block share its stamp.
    writer.number(trade.stamp === before ? 0 : 1);
    if (trade.stamp !== before) writeStamp(writer, trade.stamp);
    before = trade.stamp;
    writer.number(trade.logIndex);
    writer.number(trade.pool);
    writer.number(trade.tokenIn);
    writer.number(trade.tokenOut);
    writer.bigint(trade.amountIn);
    writer.bigint(trade.amountOut);
    writer.number(trade.value);
    writer.text(trade.transactionHash);
    writer.text(trade.maker ?? "");
  }
}

/**
 * Trades in the order of the chain; `pools` and `tokens`: how many there are of each. Throws
 * DamagedBytes for others.
 */
export function readTrades(reader: ByteReader, pools: number, tokens: number): StoredTrade[] {
  const trades: StoredTrade[] = [];
  let stamp: BlockStamp | undefined;
  for (let left = reader.count(Number.MAX_SAFE_INTEGER); left > 0; left--) {
    if (reader.count(1) === 1) stamp = readStamp(reader);
    if (stamp === undefined) reader.fail("a block's stamp");
    const trade: StoredTrade = {
      stamp,
      blockNumber: stamp.number,
      logIndex: reader.count(Number.MAX_SAFE_INTEGER),
      pool: reader.count(pools - 1),
      tokenIn: reader.count(tokens - 1),
      tokenOut: reader.count(tokens - 1),
      amountIn: reader.bigint(),
      amountOut: reader.bigint(),
      value: reader.count(Number.MAX_SAFE_INTEGER),
      transactionHash: reader.text(),
      maker: readMaker(reader),
      older: undefined,
      newer: undefined,
    };
    const before = trades.at(-1);
    const isInOrder = before === undefined || trade.blockNumber >= before.blockNumber;
    reader.check(isInOrder, "trades in their order");
    trades.push(trade);
  }
  return trades;
}

/** An address; undefined where it is unknown. */
function readMaker(reader: ByteReader): Address | undefined {
  const text = reader.text();
  if (text === "") return undefined;
  reader.check(/^0x[0-9a-f]{40}$/.test(text), "a maker's address");
  return text as Address;
}

export function writeFloor(writer: ByteWriter, floor: TradeFloor | undefined): void {
  writer.number(floor === undefined ? 0 : 1);
  if (floor === undefined) return;
  writer.number(floor.blockNumber);
  writer.number(floor.logIndex + 1); // logIndex is -1 at the start of a block
  writer.number(floor.timestampMs);
}

export function readFloor(reader: ByteReader): TradeFloor | undefined {
  if (reader.count(1) === 0) return undefined;
  return {
    blockNumber: reader.count(Number.MAX_SAFE_INTEGER),
    logIndex: reader.count(Number.MAX_SAFE_INTEGER) - 1,
    timestampMs: reader.count(Number.MAX_SAFE_INTEGER),
  };
}

import { assert, describe, it } from "@effect/vitest";
import { type BlockStamp, runToEnd } from "@millrace/core";
import { BlockRecords, UNDONE_FLOWS_MOST, UNDONE_MOST } from "../src/activity/BlockRecords.ts";
import { emptyFlow } from "../src/activity/PoolFlow.ts";
import { type PackedFlows, packFlows } from "../src/activity/packedFlows.ts";
import { ByteReader } from "../src/bytes/ByteReader.ts";
import { ByteWriter } from "../src/bytes/ByteWriter.ts";
import { hashOf } from "./activityChain.ts";

function stamp(number: number, branch = 0): BlockStamp {
  return { number, hash: hashOf(10_000 * branch + number), timestampMs: 1_000 * number };
}

function emptyFlows(count: number): PackedFlows {
  return packFlows(Array.from({ length: count }, () => emptyFlow(0, 0, 0)));
}

describe("records of blocks", () => {
  it("keep what to undo of the newest blocks, and of fewer when those are huge", () => {
    const records = new BlockRecords();
    const huge = emptyFlows(UNDONE_FLOWS_MOST / 4);
    for (let number = 1; number <= 9; number++) records.add(stamp(number), huge);
    assert.deepStrictEqual(numbersOf(records), [9, 8, 7, 6]);
    assert.strictEqual(records.count, 9);
    // One more is too much, until one of them is reverted.
    records.remove(records.find(stamp(9).hash)!);
    for (let number = 9; number < 9 + UNDONE_MOST; number++) {
      records.add(stamp(number, 1), emptyFlows(1));
    }
    assert.strictEqual(numbersOf(records).length, UNDONE_MOST);
    records.add(stamp(900), emptyFlows(UNDONE_FLOWS_MOST + 1));
    assert.deepStrictEqual(numbersOf(records), [900]);
  });

  it("are what was saved, and say so of no more than is kept", () => {
    const records = new BlockRecords();
    for (let number = 1; number <= UNDONE_MOST + 5; number++) {
      records.add(stamp(number), emptyFlows(number % 3));
    }
    const writer = new ByteWriter();
    runToEnd(records.write(writer));
    const restored = BlockRecords.read(new ByteReader(writer.bytes()), 1, 1);
    assert.deepStrictEqual(numbersOf(restored), numbersOf(records));
    assert.strictEqual(restored.byteLength, records.byteLength);
    assert.strictEqual(restored.settledMs, stamp(5).timestampMs);
    assert.strictEqual(restored.settledMs, records.settledMs);
    assert.isFalse(restored.isBeyond(1));
    assert.isTrue(restored.isBeyond(0));
  });
});

/** Of those that can be undone, the newest first. */
function numbersOf(records: BlockRecords): number[] {
  return records.above(0).map((record) => record.stamp.number);
}

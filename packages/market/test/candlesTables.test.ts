import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { IdleQueue } from "../src/candles/IdleQueue.ts";
import { SubjectTable } from "../src/candles/SubjectTable.ts";

describe("tables of candles", () => {
  it("a table of subjects has what a map has, through additions and removals", () => {
    const next = new RandomSource(TEST_SEED + 1).next;
    const table = new SubjectTable(64);
    const map = new Map<number, number>();
    for (let round = 0; round < 50_000; round++) {
      const subject =
        next() < 0.5 ? Math.floor(100 * next()) : 2 ** 32 - 2 - Math.floor(50 * next());
      if (next() < 0.5 && (map.size < 64 || map.has(subject))) {
        const value = Math.floor(2 ** 32 * next());
        table.set(subject, value);
        map.set(subject, value);
      } else {
        table.delete(subject);
        map.delete(subject);
      }
      assert.strictEqual(table.size, map.size);
      const asked = Math.floor(100 * next());
      assert.strictEqual(table.get(asked), map.get(asked) ?? -1);
    }
    for (const [subject, value] of map) assert.strictEqual(table.get(subject), value);
  });

  it("a queue of records gives the one that traded the longest ago, whatever traded since", () => {
    const next = new RandomSource(TEST_SEED + 2).next;
    const times = new Uint32Array(100);
    const queue = new IdleQueue(times);
    const queued = new Set<number>();
    for (let round = 0; round < 20_000; round++) {
      const record = Math.floor(100 * next());
      const time = Math.floor(1_000 * next()) + round;
      if (!queued.has(record)) {
        times[record] = time;
        queue.add(record);
        queued.add(record);
      } else if (next() < 0.7) {
        times[record] = Math.max(times[record]!, time);
      } else {
        const least = Math.min(...[...queued].map((each) => times[each]!));
        const idlest = queue.idlest();
        assert.isTrue(queued.has(idlest));
        assert.strictEqual(times[idlest], least);
        queue.removeIdlest();
        queued.delete(idlest);
      }
      assert.strictEqual(queue.count, queued.size);
    }
  });
});

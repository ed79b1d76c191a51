import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { type Ordered, selectRange } from "../src/lists/selectRange.ts";

describe("selecting a range of an order", () => {
  for (const count of [0, 1, 2, 100, 129, 3_000, 40_000]) {
    for (const descending of [false, true]) {
      it(`of ${count} indexes gives ${descending ? "down" : "up"} what sorting all of them gives`, () => {
        const next = new RandomSource(TEST_SEED + count + 1).next;
        const kinds: Array<() => number> = [
          () => 0,
          () => Math.floor(5 * next()),
          () => (next() < 0.01 ? Math.exp(20 * next()) : 0),
          () => Math.exp(200 * next() - 100),
          () => 1_767_225_600_000 + Math.floor(1e6 * next()),
          () => 1e9 + (next() < 0.5 ? 0 : 2 ** -20),
          () => (next() < 0.5 ? Number.MIN_VALUE : Number.MAX_VALUE),
        ];
        for (const kind of kinds) {
          const keys = Float64Array.from({ length: count }, kind);
          const ordered = { ...shuffledOrder(count, next), keys, among: undefined };
          const sorted = plainly(ordered, descending);
          const starts = [0, 1, Math.floor(count * next()), count - 1, count].filter(
            (at) => at >= 0,
          );
          for (const start of starts) {
            for (const length of [0, 1, 50, 512, 2 * count]) {
              const selected = selectRange(ordered, descending, start, start + length);
              assert.deepStrictEqual([...selected], sorted.slice(start, start + length));
            }
          }
        }
      });
    }
  }

  it("orders those indexes that it is given, and no others", () => {
    const next = new RandomSource(TEST_SEED + 99).next;
    const count = 6_000;
    const { order, rank } = shuffledOrder(count, next);
    for (const distinct of [1, 3, 300, 1e9]) {
      const keys = Float64Array.from({ length: count }, () => Math.floor(distinct * next()));
      for (const part of [0, 0.01, 0.5, 1]) {
        const marks = Uint8Array.from({ length: count }, () => +(next() < part));
        const among = { marks, count: marks.reduce((sum, mark) => sum + mark, 0) };
        const ordered = { keys, order, rank, among };
        for (const descending of [false, true]) {
          const sorted = plainly(ordered, descending);
          for (const start of [0, 40, 2_000]) {
            const selected = selectRange(ordered, descending, start, start + 60);
            assert.deepStrictEqual([...selected], sorted.slice(start, start + 60));
          }
        }
      }
    }
  });

  it("is right as well where what lies at even distances is no sample of the rest", () => {
    const count = 20_000;
    for (const every of [2, 19, 20]) {
      const keys = Float64Array.from({ length: count }, (_, at) => (at % every === 0 ? 0 : 1 + at));
      const ordered = {
        ...shuffledOrder(count, new RandomSource(TEST_SEED + every).next),
        keys,
        among: undefined,
      };
      const sorted = plainly(ordered, true);
      for (let start = 0; start < count; start += 997) {
        const selected = selectRange(ordered, true, start, start + 100);
        assert.deepStrictEqual([...selected], sorted.slice(start, start + 100));
      }
    }
  });
});

function plainly({ keys, order, among }: Ordered, descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  const meant = [...order].filter((index) => among === undefined || among.marks[index] === 1);
  return meant.sort((a, b) => sign * (keys[a]! - keys[b]!));
}

function shuffledOrder(count: number, next: () => number) {
  const draws = Float64Array.from({ length: count }, next);
  const order = Uint32Array.from(draws.keys()).sort((a, b) => draws[a]! - draws[b]!);
  const rank = new Uint32Array(count);
  for (const [position, index] of order.entries()) rank[index] = position;
  return { order, rank };
}

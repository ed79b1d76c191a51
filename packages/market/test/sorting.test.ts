import { assert, describe, it } from "@effect/vitest";
import { runToEnd } from "@millrace/core";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { mergeSorted, sortByKey } from "../src/lists/sorting.ts";

describe("sorting by key", () => {
  for (const count of [0, 1, 2, 1_000, 20_000]) {
    for (const descending of [false, true]) {
      it(`orders ${count} indexes ${descending ? "down" : "up"}, equal keys as they stood`, () => {
        const next = new RandomSource(TEST_SEED + count + 1).next;
        const kinds: Array<() => number> = [
          () => 0,
          () => Math.floor(5 * next()),
          () => Math.exp(200 * next() - 100),
          () => 1_767_225_600_000 + Math.floor(1e6 * next()),
          () => (next() < 0.5 ? Number.MIN_VALUE : Number.MAX_VALUE),
        ];
        const base = Uint32Array.from({ length: count }, (_, index) => count - 1 - index);
        for (const kind of kinds) {
          const keys = Float64Array.from({ length: count }, kind);
          const sign = descending ? -1 : 1;
          const expected = [...base].sort((a, b) => sign * (keys[a]! - keys[b]!));
          assert.deepStrictEqual([...runToEnd(sortByKey(base, keys, descending))], expected);
        }
      });
    }
  }
});

describe("merging into a sorted list", () => {
  it("gives what sorting everything gives, whatever the sizes", () => {
    const next = new RandomSource(TEST_SEED + 3).next;
    for (const [had, added] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [700, 3],
      [5, 2_000],
      [300, 257],
    ] as const) {
      const keys = Float64Array.from({ length: had + added }, next);
      const compare = (a: number, b: number) => keys[a]! - keys[b]!;
      const all = Uint32Array.from(keys.keys());
      const sorted = all.slice(0, had).sort(compare);
      const merged = runToEnd(mergeSorted(sorted, all.slice(had), compare));
      assert.deepStrictEqual(merged, all.sort(compare));
    }
  });
});

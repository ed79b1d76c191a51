import { assert, describe, it } from "@effect/vitest";
import { selectRange } from "../src/selectRange.ts";
import { random } from "./random.ts";

describe("selecting a range of an order", () => {
  for (const count of [0, 1, 2, 100, 129, 3_000, 40_000]) {
    for (const descending of [false, true]) {
      it(`of ${count} indexes gives ${descending ? "down" : "up"} what sorting all of them gives`, () => {
        const next = random(count + 1);
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
          const sign = descending ? -1 : 1;
          const sorted = [...keys.keys()].sort((a, b) => sign * (keys[a]! - keys[b]!));
          const starts = [0, 1, Math.floor(count * next()), count - 1, count].filter(
            (at) => at >= 0,
          );
          for (const start of starts) {
            for (const length of [0, 1, 50, 512, 2 * count]) {
              const selected = selectRange(keys, undefined, descending, start, start + length);
              assert.deepStrictEqual([...selected], sorted.slice(start, start + length));
            }
          }
        }
      });
    }
  }

  it("orders those indexes that it is given, and no others", () => {
    const next = random(99);
    const keys = Float64Array.from({ length: 5_000 }, () => Math.floor(300 * next()));
    for (const part of [0, 0.01, 0.5, 1]) {
      const among = Uint32Array.from(keys.keys()).filter(() => next() < part);
      const sorted = [...among].sort((a, b) => keys[b]! - keys[a]!);
      for (const start of [0, 40, 2_000]) {
        const selected = selectRange(keys, among, true, start, start + 60);
        assert.deepStrictEqual([...selected], sorted.slice(start, start + 60));
      }
    }
  });
});

import { assert, describe, it } from "@effect/vitest";
import { RandomSource, TEST_SEED } from "@millrace/testing";
import { TokenHeap } from "../src/prices/TokenHeap.ts";

describe("the heap of tokens", () => {
  it("a heap gives the widest token first, of equals the lower rank, each once", () => {
    const next = new RandomSource(TEST_SEED + 5).next;
    // 77 and 200 have no common divisor: each rank once.
    const ranks = Array.from({ length: 200 }, (_, token) => (77 * token) % 200);
    const heap = new TokenHeap();
    heap.begin(200, ranks);
    const widths = new Map<number, number>();
    for (let round = 0; round < 5_000; round++) {
      if (next() < 0.7) {
        const token = Math.floor(200 * next());
        if (heap.width(token) > 0 && !widths.has(token)) continue; // was taken
        const width = pick(next);
        assert.strictEqual(heap.raise(token, width), width > (widths.get(token) ?? 0));
        widths.set(token, Math.max(width, widths.get(token) ?? 0));
      } else {
        const [widest] = [...widths].sort(([a, x], [b, y]) =>
          x === y ? ranks[a]! - ranks[b]! : y > x ? 1 : -1,
        );
        assert.strictEqual(heap.take(), widest?.[0] ?? -1);
        if (widest !== undefined) widths.delete(widest[0]);
      }
    }
  });
});

function pick(next: () => number): number {
  return next() < 0.05 ? Number.POSITIVE_INFINITY : 1 + Math.floor(20 * next());
}

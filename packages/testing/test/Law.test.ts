import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget, Law, law, surely, TEST_SEED } from "../src/index.ts";

describe("a law", () => {
  it("of more cases begins with those of fewer, drawn one by one and by fast-check", () => {
    const numbers = (made: Law) => [...made.sources()].map(([, random]) => random.integer(1e9));
    const few = new Law("prefix", 20);
    const many = new Law("prefix", 500);
    expect(numbers(many).slice(0, few.cases)).toEqual(numbers(few));
    expect(new Set(numbers(many)).size).toBe(many.cases);
    const ran = (made: Law) => {
      const values: unknown[] = [];
      fc.assert(
        fc.property(fc.array(fc.bigInt()), (value) => void values.push(value)),
        made.options,
      );
      return values;
    };
    expect(ran(many).slice(0, few.cases)).toEqual(ran(few));
    const sampled = (made: Law) => fc.sample(fc.array(fc.bigInt()), made.options);
    expect(sampled(many).slice(0, few.cases)).toEqual(sampled(few));
  });

  it("draws other cases than the law of another name", () => {
    expect(new Law("one", 1).seed).not.toBe(new Law("other", 1).seed);
    expect(new Law("one", 1).random().next()).not.toBe(new Law("other", 1).random().next());
  });

  it("is counted with the test that runs it", ({ task }) => {
    const { cases } = law("counted", 3);
    expect(cases).toBe(budget(3));
    expect(task.meta.laws).toEqual([{ name: "counted", cases }]);
    expect(TEST_SEED).toBeGreaterThan(0);
  });
});

describe("bounds of chance", () => {
  it("what surely happens leaves room for the luck of a seed", () => {
    expect([0, 4, 16, 100, 10_000].map(surely)).toEqual([0, 0, 0, 60, 9_600]);
  });
});

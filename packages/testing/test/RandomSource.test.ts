import { describe, expect, it } from "vitest";
import { RandomSource } from "../src/index.ts";

describe("a source of randomness", () => {
  it("gives the same numbers for a seed, and others for another", () => {
    const numbers = (seed: number) => {
      const random = new RandomSource(seed);
      return Array.from({ length: 100 }, () => random.integer(1e9));
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(new Set([...numbers(7), ...numbers(8)]).size).toBe(200);
  });

  it("keeps to its ranges and reaches their ends", () => {
    const random = new RandomSource(1);
    const many = <A>(draw: () => A) => Array.from({ length: 2_000 }, draw);
    expect(new Set(many(() => random.integer(3)))).toEqual(new Set([0, 1, 2]));
    expect(new Set(many(() => random.between(-1, 1)))).toEqual(new Set([-1, 0, 1]));
    expect(new Set(many(() => random.bigint(2n)))).toEqual(new Set([0n, 1n]));
    expect(new Set(many(() => random.pick(["a", "b"])))).toEqual(new Set(["a", "b"]));
    expect(many(() => random.bigint(2n ** 256n)).some((value) => value >> 255n === 1n)).toBe(true);
    expect(many(() => random.chance(0)).includes(true)).toBe(false);
    expect(many(() => random.amount(256)).every((value) => value > 0n && value < 2n ** 256n)).toBe(
      true,
    );
    expect(random.hex(32)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(random.shuffled([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
  });
});

import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocalTimes } from "../../src/limits/LocalTimes.ts";
import { TokenBuckets } from "../../src/limits/TokenBuckets.ts";

/** Requests of a few names: the time since the last one, the name, and the amount. */
const requests = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 20_000, noNaN: true })),
    name: fc.constantFrom("a", "b", "c"),
    tokens: fc.integer({ min: 1, max: 60 }),
  }),
  { maxLength: 200 },
);
const sizes = {
  perSecond: fc.integer({ min: 1, max: 1_000 }),
  burst: fc.integer({ min: 60, max: 2_000 }),
};

describe("token buckets", () => {
  it("never give more than rate × time + burst, between any two moments", () => {
    fc.assert(
      fc.property(fc.record({ ...sizes, requests }), ({ perSecond, burst, requests }) => {
        const buckets = new TokenBuckets(perSecond, burst);
        const granted: Array<{ name: string; atMs: number; tokens: number }> = [];
        let atMs = 0;
        for (const { afterMs, name, tokens } of requests) {
          atMs += afterMs;
          if (buckets.take(name, tokens, atMs).isGranted) granted.push({ name, atMs, tokens });
        }
        for (const [index, first] of granted.entries()) {
          let sum = 0;
          for (const { name, atMs, tokens } of granted.slice(index)) {
            if (name !== first.name) continue;
            sum += tokens;
            const most = burst + (perSecond * (atMs - first.atMs)) / 1_000;
            expect(sum).toBeLessThanOrEqual(most + 1e-3);
          }
        }
      }),
      law("token buckets: never more than their rate", 200).options,
    );
  });

  it("give what a plain bucket gives, which fills as time passes", () => {
    fc.assert(
      fc.property(fc.record({ ...sizes, requests }), ({ perSecond, burst, requests }) => {
        const buckets = new TokenBuckets(perSecond, burst);
        const plain = new Map<string, { tokens: number; atMs: number }>();
        let atMs = 0;
        for (const { afterMs, name, tokens } of requests) {
          atMs += afterMs;
          const bucket = plain.get(name) ?? { tokens: burst, atMs };
          const gained = (perSecond * (atMs - bucket.atMs)) / 1_000;
          const held = Math.min(burst, bucket.tokens + gained);
          // Cases that rounding would decide are skipped.
          if (Math.abs(held - tokens) < 1e-4 && held !== tokens) return;
          const isGranted = held >= tokens;
          const left = isGranted ? held - tokens : held;
          plain.set(name, { tokens: left, atMs });
          const taken = buckets.take(name, tokens, atMs);
          expect(taken.isGranted).toBe(isGranted);
          expect(Math.abs(taken.left - left)).toBeLessThan(1 + 1e-4);
          const waitMs = ((isGranted ? burst - left : tokens - left) * 1_000) / perSecond;
          expect(Math.abs(taken.waitMs - waitMs)).toBeLessThan(1e-1);
        }
      }),
      law("token buckets: as a plain one", 200).options,
    );
  });

  it("give what is asked once it was waited for, and not before", () => {
    const buckets = new TokenBuckets(10, 60);
    expect(buckets.take("a", 60, 0)).toEqual({ isGranted: true, left: 0, waitMs: 6_000 });
    expect(buckets.take("a", 10, 0)).toEqual({ isGranted: false, left: 0, waitMs: 1_000 });
    expect(buckets.take("a", 10, 999).isGranted).toBe(false);
    expect(buckets.take("a", 10, 1_000).isGranted).toBe(true);
  });

  it("tell how long to wait for what was taken before and the rest together", () => {
    const buckets = new TokenBuckets(10, 60);
    buckets.take("a", 50, 0);
    expect(buckets.take("a", 30, 0, 10)).toEqual({ isGranted: false, left: 10, waitMs: 3_000 });
  });

  it("give the whole bucket for what costs more than it holds, and wait for what is owed", () => {
    const buckets = new TokenBuckets(10, 60);
    expect(buckets.take("a", 640, 0)).toEqual({ isGranted: true, left: 0, waitMs: 64_000 });
    expect(buckets.take("a", 1, 58_000).isGranted).toBe(false);
    expect(buckets.take("a", 640, 63_999).isGranted).toBe(false);
    expect(buckets.take("a", 640, 64_000).isGranted).toBe(true);
  });

  it("grant in two steps what they would grant in one", () => {
    const buckets = new TokenBuckets(10, 60);
    buckets.take("a", 10, 0);
    expect(buckets.take("a", 630, 0, 10)).toEqual({ isGranted: true, left: 0, waitMs: 64_000 });
  });

  it("settle afterwards, either way, and forget no debt before it is paid", () => {
    const buckets = new TokenBuckets(10, 60);
    buckets.take("a", 20, 0);
    expect(buckets.settle("a", 100, 0)).toEqual({ isGranted: true, left: 0, waitMs: 12_000 });
    expect(buckets.settle("a", -90, 0)).toMatchObject({ left: 30 });
    expect(buckets.settle("a", -90, 0)).toMatchObject({ left: 60 });
    buckets.settle("a", 1_060, 0);
    for (let atMs = 0; atMs < 90_000; atMs += 1_000) buckets.take(`${atMs}`, 1, atMs);
    expect(buckets.take("a", 1, 90_000).isGranted).toBe(false);
    expect(buckets.take("a", 1, 106_000).isGranted).toBe(true);
  });

  it("spare half of what they hold for what is asked", () => {
    const buckets = new TokenBuckets(10, 60);
    expect(buckets.takeSpare("a", 20, 0)).toBe(true);
    expect(buckets.takeSpare("a", 20, 0)).toBe(false);
    expect(buckets.take("a", 40, 0).isGranted).toBe(true);
    expect(buckets.takeSpare("a", 500, 5_999)).toBe(false);
    expect(buckets.takeSpare("a", 500, 6_000)).toBe(true);
  });

  it("remember a bounded number of names, of a million that ask", () => {
    const buckets = new TokenBuckets(1, 60, new LocalTimes(60_000, 10_000));
    let largest = 0;
    for (let name = 0; name < 1_000_000; name++) {
      // A hundred thousand names a second: none has a full budget again before it is forgotten.
      buckets.take(`2001:db8:${(name >> 16).toString(16)}:${name & 0xffff}::/64`, 60, name / 100);
      largest = Math.max(largest, buckets.size);
    }
    expect(largest).toBeLessThanOrEqual(10_000);
    expect(largest).toBeGreaterThan(4_000);
  });

  it("remember who asks while others come and go, so long as it asks", () => {
    const buckets = new TokenBuckets(1, 60, new LocalTimes(60_000, 1_000));
    let granted = 0;
    for (let name = 0; name < 100_000; name++) {
      buckets.take(`other ${name}`, 60, 0);
      if (name % 100 === 0 && buckets.take("greedy", 1, 0).isGranted) granted++;
    }
    expect(granted).toBe(60);
  });

  it("forget names whose buckets are full", () => {
    const buckets = new TokenBuckets(10, 60);
    for (let name = 0; name < 1_000; name++) buckets.take(`${name}`, 60, name);
    buckets.take("x", 1, 20_000);
    buckets.take("x", 1, 30_000);
    expect(buckets.size).toBeLessThan(3);
  });
});

import { Worker } from "node:worker_threads";
import { surelyBelow } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { SharedTimes } from "../../src/limits/SharedTimes.ts";
import { TokenBuckets } from "../../src/limits/TokenBuckets.ts";

const MODULE = new URL("../../src/limits/", import.meta.url).href;
const THREADS = 3;
const ASKED = 20_000;
const BURST = 25_000;

/** Takes one unit at a time at one moment, and reports how often that was granted. */
const PROGRAM = `
import { parentPort, workerData } from "node:worker_threads";
const { SharedTimes } = await import("${MODULE}SharedTimes.ts");
const { TokenBuckets } = await import("${MODULE}TokenBuckets.ts");
const buckets = new TokenBuckets(1, ${BURST}, new SharedTimes(workerData));
let granted = 0;
for (let asked = 0; asked < ${ASKED}; asked++) if (buckets.take("everybody", 1, 1e6).isGranted) granted++;
parentPort.postMessage(granted);
`;

describe("times of buckets that threads share", () => {
  it("grant all threads together what one would be granted, to the unit", async () => {
    const buffer = SharedTimes.allocate(64);
    const granted = await Promise.all(
      Array.from({ length: THREADS }, () => {
        const url = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
        const worker = new Worker(url, { workerData: buffer });
        return new Promise<number>((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
      }),
    );
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(BURST);
  });

  it("tell names apart, and let the one that is full the soonest make room", () => {
    // Of 256 places, 1 run in 1,000 would lack one for a name: each has a secret of its own.
    const times = new SharedTimes(SharedTimes.allocate(1_024));
    const buckets = new TokenBuckets(1, 60, times);
    for (let name = 0; name < 100; name++) buckets.take(`${name}`, 1 + (name % 50), 0);
    let kept = 0;
    for (let name = 0; name < 100; name++) {
      if (buckets.take(`${name}`, 0, 0).left === 60 - (1 + (name % 50))) kept++;
    }
    expect(kept).toBe(100);
    for (let name = 0; name < 40_000; name++) buckets.take(`other ${name}`, 1, 0);
    expect(times.size).toBe(1_024);
    expect(buckets.take("new", 60, 0)).toMatchObject({ isGranted: true, left: 0 });
    expect(buckets.take("new", 1, 0).isGranted).toBe(false);
  });

  it("have a place for nearly every name while they are two fifths full", () => {
    const runs = 2_000;
    let crowded = 0;
    for (let run = 0; run < runs; run++) {
      const buckets = new TokenBuckets(1, 60, new SharedTimes(SharedTimes.allocate(256)));
      for (let name = 0; name < 100; name++) buckets.take(`${name}`, 30, 0);
      const left = Array.from({ length: 100 }, (_, name) => buckets.take(`${name}`, 0, 0).left);
      // Where one name lost its place, the question itself may take another's.
      if (left.some((tokens) => tokens !== 30)) crowded++;
    }
    // With places by chance, about 1 run in 1,000 has such a name.
    expect(crowded).toBeLessThanOrEqual(surelyBelow((1.5 * runs) / 1_000));
  });

  it("give what buckets of one thread give", () => {
    const [shared, own] = [
      new TokenBuckets(10, 60, new SharedTimes(SharedTimes.allocate(64))),
      new TokenBuckets(10, 60),
    ];
    let atMs = 5_000;
    for (let step = 0; step < 2_000; step++) {
      atMs += (step * 7_919) % 900;
      const name = `client ${step % 3}`;
      const tokens = 1 + ((step * 31) % 45);
      switch (step % 4) {
        case 0:
          expect(shared.settle(name, tokens - 20, atMs)).toEqual(
            own.settle(name, tokens - 20, atMs),
          );
          break;
        case 1:
          expect(shared.takeSpare(name, tokens, atMs)).toBe(own.takeSpare(name, tokens, atMs));
          break;
        default:
          expect(shared.take(name, tokens, atMs, 3)).toEqual(own.take(name, tokens, atMs, 3));
      }
    }
  });
});

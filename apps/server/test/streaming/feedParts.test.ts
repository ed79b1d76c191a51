import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EvaluatedTopic } from "../../src/streaming/EvaluatedTopic.ts";
import { EvaluationQueue } from "../../src/streaming/EvaluationQueue.ts";
import { Flushing } from "../../src/streaming/Flushing.ts";
import { Heartbeats } from "../../src/streaming/Heartbeats.ts";
import { sentAtNow } from "../../src/streaming/sentAtNow.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const position = (number: number) => ({
  stamp: { number, hash: `0x${number}` as const, timestampMs: number },
  reorganisations: 0,
});

class Counted extends EvaluatedTopic {
  readonly #work: () => void;
  constructor(work: () => void) {
    super({ position: position(1) });
    this.#work = work;
  }
  dataSince = () => "";
  protected revalue(): boolean {
    this.#work();
    return false;
  }
}

/** Blocks the event loop for longer than a slice may take. */
const takeLong = (): void => {
  const endMs = performance.now() + 10;
  while (performance.now() < endMs);
};

describe("heartbeats", () => {
  it("are each as far apart as asked, for all who came at once, with turns for others between", async () => {
    const beats = new Map<number, number>();
    let turns = 0;
    const heart = new Heartbeats<number>(100, (one) => {
      beats.set(one, (beats.get(one) ?? 0) + 1);
      if (one % 20 === 0) takeLong();
    });
    const looking = setInterval(() => turns++, 1);
    for (let one = 0; one < 200; one++) heart.add(one);
    heart.delete(7);
    await vi.waitFor(() => expect(beats.get(199)).toBe(2), 10_000);
    clearInterval(looking);
    expect(beats.size).toBe(199);
    expect([...beats.values()].every((count) => count === 2 || count === 3)).toBe(true);
    // Each of ten slow ones ends a slice.
    expect(turns).toBeGreaterThan(10);
    heart.stop();
    const counts = [...beats.values()];
    await pause(250);
    expect([...beats.values()]).toEqual(counts);
  });

  it("begin again after nobody was there", async () => {
    let beats = 0;
    const heart = new Heartbeats<string>(20, () => beats++);
    heart.add("one");
    heart.delete("one");
    await pause(60);
    expect(beats).toBe(0);
    heart.add("other");
    await vi.waitFor(() => expect(beats).toBeGreaterThan(1), 10_000);
    heart.stop();
  });
});

describe("a round", () => {
  it("works out each topic in doubt once, in slices, and goes on after one that fails", async () => {
    const done: number[] = [];
    const failures: unknown[] = [];
    let slices = 0;
    const round = new EvaluationQueue(
      () => 4,
      () => slices++,
      (cause) => failures.push(cause),
    );
    const topics = Array.from({ length: 6 }, (_, index) => {
      return new Counted(() => {
        takeLong();
        done.push(index);
        if (index === 2) throw new Error("a fault");
      });
    });
    topics[4]!.evaluate();
    for (const topic of [...topics, topics[0]!]) round.add(topic);
    round.run();
    expect(done).toEqual([4, 0]);
    round.remove(topics[5]!);
    await vi.waitFor(() => expect(round.length).toBe(0), 10_000);
    expect(done).toEqual([4, 0, 1, 2, 3]);
    expect(failures.length).toBe(1);
    expect(topics.map(({ isStale }) => isStale)).toEqual([
      ...[false, false, true, false, false, true],
    ]);
    expect(slices).toBeGreaterThanOrEqual(4);
  });
});

describe("flushing", () => {
  it("reaches all readers in slices, whatever one of them does, and all at once when asked", async () => {
    const flushed: number[] = [];
    const failures: unknown[] = [];
    let done = 0;
    const flushing = new Flushing(
      (cause) => failures.push(cause),
      () => done++,
    );
    const readers = Array.from({ length: 5 }, (_, index) => ({
      flush: () => {
        takeLong();
        flushed.push(index);
        if (index === 1) throw new Error("a fault");
      },
    }));
    for (const reader of readers) flushing.add(reader);
    flushing.run();
    expect([flushed, done]).toEqual([[0], 0]);
    await vi.waitFor(() => expect(done).toBe(1), 10_000);
    expect(flushed).toEqual([0, 1, 2, 3, 4]);
    expect(failures.length).toBe(1);
    for (const reader of readers) flushing.add(reader);
    flushing.finish();
    expect([flushed.length, done]).toEqual([10, 2]);
    flushing.finish();
    expect(done).toBe(2);
    flushing.stop();
  });
});

describe("the time of sending", () => {
  it("is the wall clock's, in microseconds, also after that was set", () => {
    // The fine clock may be a few milliseconds off until it is set anew.
    const expectNow = () => {
      const beforeMs = Date.now();
      const sentAtMs = sentAtNow() / 1_000;
      expect(sentAtMs).toBeGreaterThan(beforeMs - 10);
      expect(sentAtMs).toBeLessThan(Date.now() + 10);
    };
    expectNow();
    const setMs = Date.now() + 3_600_000;
    const mocked = vi.spyOn(Date, "now").mockReturnValue(setMs);
    expectNow();
    mocked.mockRestore();
    expectNow();
    const times = Array.from({ length: 1_000 }, sentAtNow);
    expect(times.every((time, at) => at === 0 || time >= times[at - 1]!)).toBe(true);
    expect(times.every(Number.isSafeInteger)).toBe(true);
  });

  it("is not that of a thread that was suspended between its readings", () => {
    for (const suspendedMs of [-60_000, 60_000]) {
      const before = sentAtNow();
      const mocked = vi.spyOn(Date, "now").mockReturnValueOnce(Date.now() + suspendedMs);
      const [suspended, after] = [sentAtNow(), sentAtNow()];
      mocked.mockRestore();
      expect(suspended).toBeGreaterThanOrEqual(before);
      expect(suspended).toBeLessThan(before + 30_000_000);
      expect(after).toBeGreaterThanOrEqual(suspended);
    }
  });
});

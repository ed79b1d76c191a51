import { describe, expect, it } from "vitest";
import { ANSWER_MS, Clients } from "./queueClients.ts";

const WAIT_MS = 100;
const CAPACITY = 1_000 / ANSWER_MS;

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!;

describe("requests that wait for the event loop", () => {
  for (const count of [1, 64, 256, 1_024, 2_400]) {
    it(`are answered in their order, and none is refused: ${count} clients that wait`, () => {
      const clients = new Clients();
      clients.waiting(count);
      clients.run(2_000);
      expect(clients.refusedMs).toEqual([]);
      expect(clients.answeredMs.length).toBeGreaterThan(0.99 * 2 * CAPACITY - count);
      expect(Math.max(...clients.answeredMs)).toBeLessThan(1.1 * count * ANSWER_MS + 1);
    });
  }

  it("keep the service's capacity where all of them together would wait for too long", () => {
    const clients = new Clients();
    clients.waiting(10_000);
    clients.run(1_000);
    clients.forget();
    clients.run(5_000);
    expect(clients.answeredMs.length).toBeGreaterThan(0.9 * 5 * CAPACITY);
    expect(quantile(clients.answeredMs, 0.99)).toBeLessThan(10);
    // Nobody is forgotten.
    expect(clients.refusedMs.length).toBeGreaterThan(10_000);
    expect(Math.min(...clients.refusedMs)).toBeGreaterThanOrEqual(WAIT_MS);
  });

  for (const share of [0.5, 0.9]) {
    it(`are all answered when ${share} of what can be answered comes`, () => {
      const clients = new Clients();
      clients.run(5_000, share * CAPACITY);
      expect(clients.refusedMs).toEqual([]);
      expect(quantile(clients.answeredMs, 0.99)).toBeLessThan(3);
    });
  }

  for (const share of [1.5, 3, 10]) {
    it(`are answered soon or not at all when ${share} times as many come, and calm comes back`, () => {
      const clients = new Clients();
      clients.run(1_000, share * CAPACITY);
      clients.forget();
      clients.run(2_000, share * CAPACITY);
      expect(clients.answeredMs.length).toBeGreaterThan(0.9 * 2 * CAPACITY);
      expect(quantile(clients.answeredMs, 0.99)).toBeLessThan(6);
      clients.run(1_000, 0.5 * CAPACITY);
      clients.forget();
      clients.run(1_000, 0.5 * CAPACITY);
      expect([clients.refusedMs.length, clients.queue.isLate]).toEqual([0, false]);
      expect(quantile(clients.answeredMs, 0.99)).toBeLessThan(3);
    });
  }

  it("are never answered long after they came, as overload comes and goes", () => {
    const clients = new Clients();
    for (let second = 0; second < 10; second++) {
      clients.run(500, 3 * CAPACITY);
      clients.run(500, 0.5 * CAPACITY);
    }
    clients.run(1_000);
    expect(clients.answeredMs.filter((ms) => ms > WAIT_MS + 6)).toEqual([]);
    expect([clients.queue.length, clients.queue.isLate]).toEqual([0, false]);
  });

  it("are answered again in their order after a slow start", () => {
    const clients = new Clients();
    clients.answerMs = 100 * ANSWER_MS;
    clients.waiting(256);
    clients.run(3_000);
    expect(clients.refusedMs.length).toBeGreaterThan(0);
    clients.answerMs = ANSWER_MS;
    clients.run(500);
    clients.forget();
    clients.run(1_000);
    expect(clients.refusedMs).toEqual([]);
    expect(clients.queue.isLate).toBe(false);
  });

  it("wait for a loop that was held up, and are answered", () => {
    const clients = new Clients();
    for (let second = 0; second < 5; second++) {
      clients.run(900, 0.5 * CAPACITY);
      clients.loop.nowMs += 100;
    }
    expect(clients.refusedMs).toEqual([]);
  });

  for (const count of [256, 1_024, 2_000]) {
    it(`are not refused after one hold, however long: ${count} clients that wait`, () => {
      const clients = new Clients();
      clients.waiting(count);
      clients.run(1_000);
      clients.loop.nowMs += 10_000;
      clients.run(1_000);
      expect(clients.refusedMs).toEqual([]);
    });
  }

  for (const count of [1_024, 1_500, 2_000]) {
    it(`are not refused for slow turns now and then: ${count} clients that wait`, () => {
      const clients = new Clients();
      clients.waiting(count);
      for (let second = 0; second < 5; second++) {
        clients.run(980);
        clients.answerMs = 8 * ANSWER_MS;
        clients.run(20);
        clients.answerMs = ANSWER_MS;
      }
      expect(clients.refusedMs).toEqual([]);
      expect(Math.max(...clients.answeredMs)).toBeLessThan(1.1 * count * ANSWER_MS + 20);
    });

    it(`are soon in their order again after a long hold: ${count} clients that wait`, () => {
      const clients = new Clients();
      clients.waiting(count);
      clients.run(1_000);
      clients.answerMs = 8 * ANSWER_MS;
      clients.run(500);
      clients.answerMs = ANSWER_MS;
      clients.run(1_000);
      clients.forget();
      clients.run(2_000);
      expect([clients.refusedMs.length, clients.queue.isLate]).toEqual([0, false]);
      expect(Math.max(...clients.answeredMs)).toBeLessThan(1.1 * count * ANSWER_MS + 1);
    });
  }

  it("are answered soon for most of the time, where a little more is asked than can be answered", () => {
    const clients = new Clients();
    clients.run(10_000, 1.1 * CAPACITY);
    clients.forget();
    clients.run(20_000, 1.1 * CAPACITY);
    expect(clients.answeredMs.length).toBeGreaterThan(0.9 * 20 * CAPACITY);
    expect(quantile(clients.answeredMs, 0.5)).toBeLessThan(6);
    expect(clients.answeredMs.filter((ms) => ms > 2 * WAIT_MS + 10)).toEqual([]);
  });

  it("are nothing any more once their client has left", () => {
    const clients = new Clients();
    const [first, second, third] = [clients.ask(), clients.ask(), clients.ask()];
    second();
    expect(clients.queue.length).toBe(2);
    clients.run(1);
    expect(clients.answeredMs.length).toBe(2);
    first();
    third();
    expect(clients.queue.length).toBe(0);
  });

  it("are answered as they are read, a few of a turn always, others for some milliseconds", () => {
    const { loop, queue } = new Clients();
    const countAtOnce = (eachMs: number): number => {
      let count = 0;
      for (let request = 0; request < 512; request++) {
        if (!queue.takesAtOnce()) continue;
        count++;
        loop.nowMs += eachMs;
      }
      loop.turn();
      return count;
    };
    expect(countAtOnce(0.03125)).toBe(129);
    expect(countAtOnce(0.125)).toBe(64);
    // Of those that take long fewer, or one client could hold up all others.
    expect(countAtOnce(1)).toBe(16);
    expect(countAtOnce(0.03125)).toBe(129);
  });

  it("are never refused where they may wait for ever", () => {
    const clients = new Clients(Number.POSITIVE_INFINITY);
    clients.waiting(20_000);
    clients.run(2_000);
    expect(clients.refusedMs).toEqual([]);
  });
});

describe("clients of a queue", () => {
  for (const [what, count] of [
    ["as many as can be answered in time", 2_000],
    ["more than can be answered in time", 8_000],
  ] as const) {
    it(`take turns, where one asks ${what} at once`, () => {
      const hog = new Clients();
      const other = Clients.beside(hog, "other");
      hog.waiting(count);
      // A tenth of what can be answered.
      other.run(3_000, CAPACITY / 10, [hog]);
      expect(other.refusedMs).toEqual([]);
      expect(other.answeredMs.length).toBeGreaterThan(0.99 * 3 * (CAPACITY / 10));
      expect(Math.max(...other.answeredMs)).toBeLessThan(2 * 4 + 1);
      // Nothing is lost by that.
      expect(hog.answeredMs.length).toBeGreaterThan(0.85 * 3 * CAPACITY);
    });

    it(`have the same share, where two ask ${what} at once`, () => {
      const first = new Clients();
      const second = Clients.beside(first, "second");
      first.waiting((count * 3) / 4);
      second.waiting(count / 4);
      first.run(1_000, 0, [second]);
      for (const each of [first, second]) each.forget();
      first.run(2_000, 0, [second]);
      const share = first.answeredMs.length / second.answeredMs.length;
      expect(Math.max(share, 1 / share)).toBeLessThan(1.1);
    });
  }

  it("are answered within a share of the time, where they were told to ask later", () => {
    const early = new Clients();
    early.client.isEarly = true;
    const other = Clients.beside(early, "other");
    early.waiting(1_000);
    other.run(2_000, CAPACITY / 2, [early]);
    expect(quantile(other.answeredMs, 0.99)).toBeLessThan(3);
    expect(other.answeredMs.length).toBeGreaterThan(0.99 * CAPACITY);
    // Half of 5 %: the other half is for reading them.
    const share = early.answeredMs.length / (2 * CAPACITY);
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.03);
    expect(early.refusedMs).toEqual([]);
  });

  it("are answered all the same, and the loop sleeps in between", () => {
    const early = new Clients();
    early.client.isEarly = true;
    for (let request = 0; request < 500; request++) early.ask();
    early.run(1_000);
    expect(early.answeredMs.length).toBe(500);
    expect(early.loop.turnCount).toBeLessThan(200);
  });

  it("are answered as they are read, as long as that share has room", () => {
    const early = new Clients();
    early.client.isEarly = true;
    const counts = [0, 0].map(() => {
      let count = 0;
      while (count < 1_000 && early.queue.takesAtOnce(early.client)) count++;
      early.loop.turn();
      early.loop.nowMs += 100;
      return count;
    });
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...counts)).toBeLessThan(60);
  });
});

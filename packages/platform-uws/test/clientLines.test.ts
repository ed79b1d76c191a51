import { RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { ClientLines } from "../src/ClientLines.ts";

interface Waiting {
  readonly value: number;
  readonly client: string;
  readonly arrivedMs: number;
}

const CLIENTS = ["a", "b", "c", "d"];
const client = (name: string) => ({ name });
const STEPS = 5_000;

describe("lines of clients", () => {
  it("give each that waits once, its client's oldest or newest, to clients in turn", () => {
    const random = new RandomSource(20_261_125);
    const lines = new ClientLines<Waiting>();
    let waiting: Waiting[] = [];
    /** What the last reading left. */
    let inLine = new Set<Waiting>();
    const leave = new Map<Waiting, () => void>();
    let nowMs = 0;
    let value = 0;
    const take = (one: Waiting): void => {
      expect(waiting).toContain(one);
      waiting = waiting.filter((each) => each !== one);
    };
    const of = (client: string, since = Number.NEGATIVE_INFINITY): Waiting[] =>
      waiting.filter((each) => each.client === client && each.arrivedMs >= since);
    for (let step = 0; step < STEPS; step++) {
      nowMs += random.integer(3);
      const act = random.integer(8);
      if (act < 5) {
        // The first client asks most.
        const name = CLIENTS[Math.min(random.integer(8), 3)]!;
        const one = { value: value++, client: act < 3 ? "a" : name, arrivedMs: nowMs };
        waiting.push(one);
        const place = lines.add(one, client(one.client), nowMs, random.integer(2) === 0);
        leave.set(one, () => lines.leave(place));
      } else if (act === 5 && waiting.length > 0) {
        const one = waiting[random.integer(waiting.length)]!;
        take(one);
        leave.get(one)!();
        leave.get(one)!();
      } else if (act === 6) {
        const ms = nowMs - random.integer(50);
        const one = lines.takeOlderThan(ms);
        const oldest = waiting.find(({ arrivedMs }) => arrivedMs < ms);
        expect(one).toBe(oldest);
        if (one !== undefined) take(one);
      } else {
        const since = nowMs - random.integer(50);
        const isNewest = random.integer(2) === 0;
        const askers = new Set(
          (isNewest ? waiting.filter(({ arrivedMs }) => arrivedMs >= since) : waiting).map(
            ({ client }) => client,
          ),
        );
        const isInOrder = !isNewest && !waiting.some((each) => inLine.has(each));
        let left = random.integer(2 * CLIENTS.length);
        const turns: string[] = [];
        for (const one of isNewest ? lines.newest(since) : lines.oldest()) {
          const line = isInOrder ? waiting : of(one.client, isNewest ? since : undefined);
          expect(one).toBe(isNewest ? line.at(-1) : line[0]);
          take(one);
          turns.push(one.client);
          if (left-- === 0) break;
        }
        inLine = new Set(waiting);
        // Nobody has a second turn before all others have had their first one.
        const firsts = isInOrder ? [] : turns.slice(0, askers.size);
        expect(new Set(firsts).size).toBe(firsts.length);
      }
      expect(lines.length).toBe(waiting.length);
      expect(lines.hasSince(nowMs - 20)).toBe(
        waiting.some(({ arrivedMs }) => arrivedMs >= nowMs - 20),
      );
    }
    expect(value).toBeGreaterThan(STEPS / 2);
  });

  it("begin in order of arrival, and go on with the next client where they were left", () => {
    const lines = new ClientLines<string>();
    for (const name of CLIENTS) {
      for (let index = 0; index < 3; index++) lines.add(`${name}${index}`, client(name), 0);
    }
    const taken: string[] = [];
    while (lines.length > 0) {
      for (const one of lines.oldest()) {
        taken.push(one);
        if (taken.length % 5 === 0) break;
      }
    }
    expect(taken.join(" ")).toBe("a0 a1 a2 b0 b1 b2 c0 d0 c1 d1 c2 d2");
  });

  it("keep nothing of an item that is taken or has left, though others wait on", () => {
    const lines = new ClientLines<string>();
    lines.add("first", client("a"), 0);
    const taken = lines.add("taken", client("b"), 1);
    const left = lines.add("left", client("c"), 2);
    lines.add("last", client("d"), 3);
    for (const one of lines.newest(0)) if (one === "taken") break;
    lines.leave(left);
    expect([taken.value, left.value]).toEqual([undefined, undefined]);
    expect(lines.length).toBe(1);
  });

  it("begin with who asked last, where the newest go first", () => {
    const lines = new ClientLines<string>();
    for (const [index, name] of ["a", "b", "a", "c"].entries()) {
      lines.add(`${name}${index}`, client(name), index, true);
    }
    expect([...lines.newest(0)].join(" ")).toBe("c3 a2 b1 a0");
  });
});

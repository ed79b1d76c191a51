import { RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { ArrivalOrder, type Place } from "../src/ArrivalOrder.ts";

/** What it must do, in the plainest way. */
class PlainOrder {
  #waiting: Array<readonly [value: number, arrivedMs: number]> = [];

  get length(): number {
    return this.#waiting.length;
  }

  add(value: number, arrivedMs: number): void {
    this.#waiting.push([value, arrivedMs]);
  }

  leave(left: number): void {
    this.#waiting = this.#waiting.filter(([value]) => value !== left);
  }

  takeOlderThan(ms: number): number | undefined {
    const oldest = this.#waiting[0];
    return oldest !== undefined && oldest[1] < ms ? this.#waiting.shift()![0] : undefined;
  }

  takeNewest(sinceMs: number): number | undefined {
    const newest = this.#waiting.at(-1);
    return newest !== undefined && newest[1] >= sinceMs ? this.#waiting.pop()![0] : undefined;
  }
}

describe("the order of arrival", () => {
  it("gives the oldest and the newest that still wait, whatever comes and goes", () => {
    const random = new RandomSource(20_261_123);
    const order = new ArrivalOrder<number>();
    const plain = new PlainOrder();
    const places: Array<Place<number>> = [];
    let nowMs = 0;
    for (let step = 0; step < 20_000; step++) {
      nowMs += random.integer(3);
      // Now and then many come, and now and then many go.
      const isGrowing = Math.floor(step / 3_000) % 2 === 0;
      const act = random.integer(isGrowing ? 6 : 12);
      if (act < 3) {
        plain.add(places.length, nowMs);
        places.push(order.add(places.length, nowMs));
      } else if (act === 3 && places.length > 0) {
        const left = random.integer(places.length);
        plain.leave(left);
        order.leave(places[left]!);
      } else if (act % 2 === 0) {
        const ms = nowMs - random.integer(50);
        expect(order.takeOlderThan(ms)).toBe(plain.takeOlderThan(ms));
      } else {
        const ms = nowMs - random.integer(50);
        expect(order.takeNewest(ms)).toBe(plain.takeNewest(ms));
      }
      expect(order.length).toBe(plain.length);
    }
  });
});

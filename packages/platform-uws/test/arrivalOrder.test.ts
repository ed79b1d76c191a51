import { RandomSource } from "@millrace/testing";
import { describe, expect, it } from "vitest";
import { ArrivalOrder, type Place } from "../src/ArrivalOrder.ts";

interface Numbered extends Place {
  readonly value: number;
}

/** What it must do, in the plainest way. */
class PlainOrder {
  #waiting: number[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  add(value: number): void {
    this.#waiting.push(value);
  }

  leave(left: number): void {
    this.#waiting = this.#waiting.filter((value) => value !== left);
  }

  takeOldest(): number | undefined {
    return this.#waiting.shift();
  }

  takeNewest(): number | undefined {
    return this.#waiting.pop();
  }
}

describe("the order of arrival", () => {
  it("gives the oldest and the newest that still wait, whatever comes and goes", () => {
    const random = new RandomSource(20_261_123);
    const order = new ArrivalOrder<Numbered>();
    const plain = new PlainOrder();
    const places: Numbered[] = [];
    const leave = (place: Numbered): void => {
      if (!place.isWaiting) return;
      place.isWaiting = false;
      order.left();
    };
    let nowMs = 0;
    for (let step = 0; step < 20_000; step++) {
      nowMs += random.integer(3);
      // Now and then many come, and now and then many go.
      const isGrowing = Math.floor(step / 3_000) % 2 === 0;
      const act = random.integer(isGrowing ? 6 : 12);
      if (act < 3) {
        const place = { value: places.length, arrivedMs: nowMs, isWaiting: true };
        plain.add(place.value);
        places.push(place);
        order.add(place);
      } else if (act === 3 && places.length > 0) {
        const left = random.integer(places.length);
        plain.leave(left);
        leave(places[left]!);
      } else {
        const isOldest = act % 2 === 0;
        const place = isOldest ? order.oldest() : order.newest();
        expect(place?.value).toBe(isOldest ? plain.takeOldest() : plain.takeNewest());
        if (place !== undefined) leave(place);
      }
      expect(order.length).toBe(plain.length);
    }
    expect(places.length).toBeGreaterThan(6_000);
  });
});

import { describe, expect, it } from "vitest";
import { LoadGuard } from "../src/LoadGuard.ts";

const TURN_MS = 1;

/** Turns of so many milliseconds, one after the other; gives when the last one ended. */
function turns(guard: LoadGuard, fromMs: number, lengthMs: number, count: number, requests = 9) {
  let nowMs = fromMs;
  for (let turn = 0; turn < count; turn++) {
    guard.turnBegins(nowMs);
    nowMs += lengthMs;
    guard.turnEnds(nowMs, requests);
  }
  return nowMs;
}

describe("the load guard", () => {
  it("lets a turn take as long as a burst may", () => {
    const guard = new LoadGuard({});
    guard.turnBegins(1_000);
    expect([guard.isOverloaded(1_100), guard.isLate(1_100)]).toEqual([false, false]);
    expect([guard.isOverloaded(1_101), guard.isLate(1_101)]).toEqual([true, true]);
  });

  it("keeps turns short once all were long for a while", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 11, 10);
    guard.turnBegins(nowMs);
    expect(guard.isLate(nowMs + TURN_MS)).toBe(false);
    expect(guard.isLate(nowMs + TURN_MS + 1)).toBe(true);
  });

  it("takes long turns for a burst as long as they are few", () => {
    const guard = new LoadGuard({});
    expect(guard.isOverloaded(turns(guard, 0, 11, 9))).toBe(false);
  });

  it("takes turns that are not long for no load, however many they are", () => {
    const guard = new LoadGuard({});
    expect(guard.isOverloaded(turns(guard, 0, 10, 1_000))).toBe(false);
  });

  it("takes requests that come one after the other for no load, however long they take", () => {
    const guard = new LoadGuard({});
    expect(guard.isOverloaded(turns(guard, 0, 90, 100, 1))).toBe(false);
  });

  it("begins to count anew with a turn that is not long, and with a pause", () => {
    const guard = new LoadGuard({});
    const shortMs = turns(guard, turns(guard, 0, 11, 9), 10, 1);
    const pauseMs = turns(guard, shortMs, 11, 9) + 2;
    expect(guard.isOverloaded(turns(guard, pauseMs, 11, 9))).toBe(false);
  });

  it("does not take the moment from one turn to the next for a pause", () => {
    const guard = new LoadGuard({});
    let nowMs = 0;
    for (let turn = 0; turn < 10; turn++) nowMs = turns(guard, nowMs, 11, 1) + 0.5;
    expect(guard.isOverloaded(nowMs)).toBe(true);
  });

  it("goes on while requests are refused, however short turns are then, and ends with them", () => {
    const guard = new LoadGuard({});
    let nowMs = turns(guard, 0, 11, 10);
    expect(guard.isOverloaded(nowMs)).toBe(true);
    for (let turn = 0; turn < 100; turn++) {
      guard.shed(nowMs);
      nowMs = turns(guard, nowMs, 2, 1);
    }
    nowMs = turns(guard, nowMs, 2, 49);
    expect(guard.isOverloaded(nowMs)).toBe(true);
    nowMs = turns(guard, nowMs, 2, 1);
    expect(guard.isOverloaded(nowMs)).toBe(false);
    expect(guard.isOverloaded(turns(guard, nowMs, 11, 9))).toBe(false);
  });

  it("keeps to bounds of one's own, and to none", () => {
    const guard = new LoadGuard({ turnMs: 3, standingMs: 5 });
    guard.turnBegins(0);
    expect([guard.isOverloaded(5), guard.isLate(6)]).toEqual([false, true]);
    const never = new LoadGuard({ standingMs: Number.POSITIVE_INFINITY });
    expect(never.isOverloaded(turns(never, 0, 1_000, 100))).toBe(false);
  });
});

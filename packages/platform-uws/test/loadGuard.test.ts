import { describe, expect, it } from "vitest";
import { LoadGuard } from "../src/LoadGuard.ts";

const TURN_MS = 1;
const BURST_MS = 25;

/** Turns of so many milliseconds, one after the other; gives when the last one ended. */
function turns(guard: LoadGuard, fromMs: number, lengthMs: number, count: number): number {
  let nowMs = fromMs;
  for (let turn = 0; turn < count; turn++) {
    guard.turnBegins(nowMs);
    nowMs += lengthMs;
    guard.turnEnds(nowMs);
  }
  return nowMs;
}

describe("the load guard", () => {
  it("lets a turn take as long as a burst may", () => {
    const guard = new LoadGuard({});
    guard.turnBegins(1_000);
    expect(guard.isLate(1_000 + BURST_MS)).toBe(false);
    expect(guard.isLate(1_001 + BURST_MS)).toBe(true);
    expect(guard.deadlineMs(1_001)).toBe(1_000 + BURST_MS);
    expect(guard.isOverloaded).toBe(false);
  });

  it("keeps turns short once all were long for a while", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 11, 10);
    expect(guard.isOverloaded).toBe(true);
    guard.turnBegins(nowMs);
    expect(guard.isLate(nowMs + TURN_MS)).toBe(false);
    expect(guard.isLate(nowMs + TURN_MS + 1)).toBe(true);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + TURN_MS);
  });

  it("takes long turns for a burst as long as they are few", () => {
    const guard = new LoadGuard({});
    turns(guard, 0, 11, 9);
    expect(guard.isOverloaded).toBe(false);
  });

  it("takes turns that are not long for no load, however many they are", () => {
    const guard = new LoadGuard({});
    turns(guard, 0, 10, 1_000);
    expect(guard.isOverloaded).toBe(false);
  });

  it("begins to count anew with a turn that is not long, and with a pause", () => {
    const guard = new LoadGuard({});
    const shortMs = turns(guard, turns(guard, 0, 11, 9), 10, 1);
    const pauseMs = turns(guard, shortMs, 11, 9) + 2;
    turns(guard, pauseMs, 11, 9);
    expect(guard.isOverloaded).toBe(false);
  });

  it("does not take the moment from one turn to the next for a pause", () => {
    const guard = new LoadGuard({});
    let nowMs = 0;
    for (let turn = 0; turn < 10; turn++) nowMs = turns(guard, nowMs, 11, 1) + 0.5;
    expect(guard.isOverloaded).toBe(true);
  });

  it("goes on while requests are refused, however short turns are then, and ends with them", () => {
    const guard = new LoadGuard({});
    let nowMs = turns(guard, 0, 11, 10);
    for (let turn = 0; turn < 100; turn++) {
      guard.shed(nowMs);
      nowMs = turns(guard, nowMs, 2, 1);
    }
    expect(guard.isOverloaded).toBe(true);
    nowMs = turns(guard, nowMs, 2, 49);
    expect(guard.isOverloaded).toBe(true);
    nowMs = turns(guard, nowMs, 2, 1);
    expect(guard.isOverloaded).toBe(false);
    turns(guard, nowMs, 11, 9);
    expect(guard.isOverloaded).toBe(false);
  });

  it("grants time for answers however long reading took", () => {
    const guard = new LoadGuard({});
    guard.turnBegins(0);
    expect(guard.deadlineMs(100)).toBe(100 + TURN_MS);
  });

  it("keeps to bounds of one's own", () => {
    const guard = new LoadGuard({ turnMs: 1, burstMs: 2 });
    guard.turnBegins(0);
    expect([guard.isLate(2), guard.isLate(2.1)]).toEqual([false, true]);
  });
});

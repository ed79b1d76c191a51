import { describe, expect, it } from "vitest";
import { LoadGuard } from "../src/LoadGuard.ts";

const TURN_MS = 4;
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
  it("lets the first turn after a pause take as long as a burst may", () => {
    const guard = new LoadGuard({});
    guard.turnBegins(1_000);
    expect(guard.isLate(1_000 + BURST_MS)).toBe(false);
    expect(guard.isLate(1_001 + BURST_MS)).toBe(true);
    expect(guard.deadlineMs(1_001)).toBe(1_000 + BURST_MS);
  });

  it("keeps turns short once none was short for a while", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 10, 11);
    guard.turnBegins(nowMs);
    expect(guard.isLate(nowMs + TURN_MS)).toBe(false);
    expect(guard.isLate(nowMs + TURN_MS + 1)).toBe(true);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + TURN_MS);
  });

  it("takes turns that are long for less than a tenth of a second for a burst", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 10, 9);
    guard.turnBegins(nowMs);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + BURST_MS);
  });

  it("is calm again after one short turn", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, turns(guard, 0, 10, 20), TURN_MS, 1);
    guard.turnBegins(nowMs);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + BURST_MS);
  });

  it("is calm again after a pause", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 10, 20) + TURN_MS + 1;
    guard.turnBegins(nowMs);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + BURST_MS);
  });

  it("does not take the moment between two turns under load for a pause", () => {
    const guard = new LoadGuard({});
    const nowMs = turns(guard, 0, 10, 20) + 1;
    guard.turnBegins(nowMs);
    expect(guard.deadlineMs(nowMs)).toBe(nowMs + TURN_MS);
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

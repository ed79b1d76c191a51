import { setImmediate } from "node:timers/promises";
import { eventually } from "@millrace/testing";
import { afterEach, describe, expect, it } from "vitest";
import { Background } from "../src/Background.ts";

const TURNS = 400;
const UNIT_MS = 0.02;
/** Of a unit of work, between which it pauses: more than a slice. */
const PARTS = 100;

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function* endless(): Generator<void> {
  for (;;) {
    work(UNIT_MS);
    yield;
  }
}

/** Turns in which the background worked, of those that began with so much other work. */
async function workedTurns(background: Background, othersMs: number): Promise<number> {
  background.startLater();
  const before = background.workCount;
  for (let turn = 0; turn < TURNS; turn++) {
    if (othersMs > 0) work(othersMs);
    await setImmediate();
  }
  return background.workCount - before;
}

describe("work in the background", () => {
  const background = new Background(
    "valuation",
    () => endless(),
    () => true,
  );
  afterEach(() => background.stop());

  it("takes every turn in which there is nothing else to do", async () => {
    // Where the system is slow for a while, no turn looks empty.
    let most = 0;
    for (let tries = 0; most <= TURNS / 2 && tries < 20; tries++) {
      most = Math.max(most, await workedTurns(background, 0));
    }
    expect(most).toBeGreaterThan(TURNS / 2);
  });

  it("leaves most turns to other work, and is not starved by it", async () => {
    const worked = await workedTurns(background, 0.3);
    expect(worked).toBeLessThan(TURNS / 2);
    expect(worked).toBeGreaterThan(TURNS / 20);
  });
});

describe("a background that rests", () => {
  let unitCount = 0;
  let wantedCount = 0;
  function* unit(): Generator<void> {
    for (let part = 0; part < PARTS; part++) {
      work(UNIT_MS);
      yield;
    }
    unitCount++;
  }
  const made = (rest: number) =>
    new Background("valuation", unit, () => unitCount < wantedCount, { rest });
  /** Units that it finishes beside other work in each turn. */
  async function finishedUnits(background: Background): Promise<number> {
    unitCount = 0;
    wantedCount = Number.POSITIVE_INFINITY;
    await workedTurns(background, 0.3);
    background.stop();
    return unitCount;
  }

  it("begins its units less often beside other work", async () => {
    const restless = await finishedUnits(made(0));
    expect(restless).toBeGreaterThan(0);
    expect(await finishedUnits(made(20))).toBeLessThan(restless / 2);
  });

  it("goes on by itself afterwards, and at once where it has to finish", async () => {
    const background = made(20);
    await finishedUnits(background);
    wantedCount = unitCount + 1;
    background.startLater();
    await eventually(() => unitCount === wantedCount);
    wantedCount = unitCount + 100;
    background.finish();
    expect(unitCount).toBe(wantedCount);
  });
});

import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Background } from "../src/Background.ts";

const TURNS = 400;
const UNIT_MS = 0.02;

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
    expect(await workedTurns(background, 0)).toBeGreaterThan(TURNS / 2);
  });

  it("leaves most turns to other work, and is not starved by it", async () => {
    const worked = await workedTurns(background, 0.3);
    expect(worked).toBeLessThan(TURNS / 2);
    expect(worked).toBeGreaterThan(TURNS / 20);
  });
});

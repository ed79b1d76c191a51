import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Background, type HoldCause, holding } from "@millrace/core";
import { eventually } from "@millrace/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LoopHolds } from "../../src/metrics/LoopHolds.ts";

/** Longer than anything else that runs here; a loaded machine makes it longer still. */
const LONG_MS = 300;

describe("the longest holds of the event loop", () => {
  let holds: LoopHolds;
  beforeEach(async () => {
    holds = new LoopHolds();
    await nextTurn();
  });
  afterEach(() => {
    holds.close();
    vi.restoreAllMocks();
  });

  it.each<HoldCause>(["answers", "block", "evaluation", "history", "swap"])(
    "are told with their cause: %s",
    async (cause) => {
      holding(cause, () => busy(LONG_MS));
      await turns();
      expect(longOnes(holds)).toContain(cause);
    },
  );

  it("are of no known cause where the work tells nothing of itself", async () => {
    busy(LONG_MS);
    await turns();
    expect(longOnes(holds)).toContain("other");
  });

  it("are of what took most of a turn, whatever it ran within", async () => {
    holding("block", () => {
      busy(LONG_MS / 3);
      holding("evaluation", () => busy(LONG_MS));
    });
    await turns();
    expect(longOnes(holds)).toContain("evaluation");
  });

  it("count one turn of the loop: work in slices holds nothing for long", async () => {
    let left = LONG_MS / 5;
    const beganMs = performance.now();
    const sliced = new Background(
      "valuation",
      function* () {
        for (; left > 0; left--) {
          busy(5);
          yield;
        }
      },
      () => left > 0,
    );
    sliced.startLater();
    while (left > 0) await nextTurn();
    await turns();
    // However long one turn was, the others took the rest.
    const restMs = performance.now() - beganMs - longestMs(holds, "valuation");
    expect(restMs).toBeGreaterThan(0.8 * LONG_MS);
    expect(longestMs(holds, "valuation")).toBeGreaterThanOrEqual(5);
  });

  it("are not of a loop that waits for input", async () => {
    const beganMs = performance.now();
    await sleep(2 * LONG_MS);
    await turns();
    const waitedMs = performance.now() - beganMs - longestMs(holds, "other");
    expect(waitedMs).toBeGreaterThan(LONG_MS / 2);
  });

  it("have collections of garbage by themselves", async () => {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
    await eventually(() => longestMs(holds, "gc") > 0);
  });

  it("are forgotten after a minute", async () => {
    holding("saving", () => busy(LONG_MS));
    await turns();
    const realNow = performance.now.bind(performance);
    const later = (ms: number) =>
      vi.spyOn(performance, "now").mockImplementation(() => realNow() + ms);
    later(45_000);
    expect(longOnes(holds)).toContain("saving");
    later(75_000);
    expect(longOnes(holds)).not.toContain("saving");
  });
});

function busy(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

function longestMs(holds: LoopHolds, cause: string): number {
  const sample = `millrace_event_loop_hold_seconds_max{cause="${cause}"} `;
  const line = holds.lines().find((each) => each.startsWith(sample));
  return line === undefined ? 0 : 1_000 * Number(line.slice(sample.length));
}

/** Causes of holds as long as those that tests make. */
function longOnes(holds: LoopHolds): string[] {
  const causes = holds.lines().flatMap((line) => /cause="(\w+)"/.exec(line)?.[1] ?? []);
  return causes.filter((cause) => longestMs(holds, cause) >= LONG_MS);
}

import type { Progress } from "@millrace/chain";
import { NO_HASH } from "@millrace/core";
import { Effect, Fiber, Logger } from "effect";
import { TestClock } from "effect/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showProgress, type Worker } from "../../src/networks/showProgress.ts";
import { StatusLine } from "../../src/StatusLine.ts";
import { reportText } from "../../src/verify/reportText.ts";
import { configOf, UNIVERSE_A } from "../kit/service.ts";

afterEach(() => vi.restoreAllMocks());

const worker = (id: string, progress: Progress | undefined): Worker => ({
  config: { id },
  progress,
});

const HALF: Progress = { step: "states", done: 50, total: 100 };

/** Shows the progress for `forMs`. */
const shown = (workers: ReadonlyArray<Worker>, onTerminal: boolean, forMs: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(showProgress(workers, onTerminal));
    yield* TestClock.adjust(forMs);
    yield* Fiber.interrupt(fiber);
  }).pipe(Effect.provide(TestClock.layer()));

describe("progress", () => {
  it("is a log line every five seconds where nobody watches, of those at work alone", async () => {
    const lines: unknown[] = [];
    const logger = Logger.layer([
      Logger.make(({ message }) => {
        lines.push(message);
      }),
    ]);
    const workers = [worker("ETH", HALF), worker("BASE", undefined)];
    await Effect.runPromise(Effect.provide(shown(workers, false, 12_000), logger));
    expect(lines).toHaveLength(2);
  });

  it("is a bar on a terminal, which is taken away in the end", async () => {
    const written: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(`${text}`) > 0);
    await Effect.runPromise(shown([worker("ETH", HALF), worker("BASE", undefined)], true, 250));
    expect(written).toEqual(["\r\x1b[KETH reading states ██████████░░░░░░░░░░ 50 %", "\r\x1b[K"]);
    // There is no line to erase.
    StatusLine.clear();
    expect(written).toHaveLength(2);
  });
});

describe("the report of a comparison", () => {
  it("lists what differs, the first twenty of it", async () => {
    const config = await configOf({ MILLRACE_MARKET_FILE: UNIVERSE_A });
    const differences = Array.from({ length: 25 }, (_, index) => `pool ${index}: other`);
    const stamp = { number: 7, hash: NO_HASH, timestampMs: 0 };
    const text = reportText(config.networks[0], { stamp, pools: 30, equal: false, differences });
    expect(text).toContain("NOT equal");
    expect(text).toContain("    pool 19: other\n    and 5 more\n");
    expect(text).not.toContain("pool 20");
  });
});

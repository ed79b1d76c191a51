import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "@millrace/core";
import { embeddedHistory, type HistoryBlock } from "@millrace/history";
import { RandomSource, TestScope } from "@millrace/testing";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { HistoryStory } from "./HistoryStory.ts";
import { historyLaws, type StoreUnderTest } from "./historyLaws.ts";

async function makeStore(): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-history-"));
  return {
    open: embeddedHistory({ path: join(folder, "history.sqlite"), chainId: 1 }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

historyLaws("in a file", makeStore, true);

describe("a history in a file that is closed", () => {
  it("refuses what is asked, and starts no other thread", async () => {
    const store = await makeStore();
    const scope = new TestScope();
    const history = await scope.run(store.open);
    await scope.close();
    const after = new TestScope();
    try {
      for (const ask of [history.size, history.write([{ kind: "forgetUncovered" }])]) {
        const { reason, detail } = await after.run(Effect.flip(ask));
        expect([reason, detail]).toEqual(["Unavailable", expect.stringContaining("it is closed")]);
      }
    } finally {
      await after.close();
      await store.dispose();
    }
  });
});

describe("a block of a history in a file", () => {
  // Clocks of sequencers disagree: seed 920943080.
  it("is found by its time where that lies before the time of a former one", async () => {
    const story = new HistoryStory(new RandomSource(7), true);
    while (story.blocks.every(({ swaps }) => swaps.length === 0)) story.follow();
    const template = story.blocks.find(({ swaps }) => swaps.length > 0)!;
    const blockAt = (number: number, seconds: number): HistoryBlock => {
      const hash = `0x${String(number).padStart(64, "0")}` as const;
      return { ...template, stamp: { number, hash, timestampMs: 1_000 * seconds } };
    };
    const blocks = [blockAt(1, 900), blockAt(2, 1_055), blockAt(3, 1_001), blockAt(4, 1_090)];
    const store = await makeStore();
    const scope = new TestScope();
    try {
      const history = await scope.run(store.open);
      await scope.run(history.write(blocks.map((block) => ({ kind: "block", block }))));
      const of = { kind: "pool", address: template.swaps[0]!.pool } as const;
      const [newest] = await scope.run(history.trades({ of, toMs: 1_002_000, limit: 1 }));
      expect(newest?.stamp.number).toBe(3);
      const asked = { after: -1, fromMs: 1_050_000, swapsMax: 1_000 };
      const found = await scope.run(history.blocks(asked));
      expect(found.map(({ stamp }) => stamp.number)).toEqual([2, 4]);
    } finally {
      await scope.close();
      await store.dispose();
    }
  });
});

describe("the volume of a candle in a file", () => {
  it("stops at the largest whole number of ten-thousandths of a dollar", async () => {
    const story = new HistoryStory(new RandomSource(7), true);
    while (story.blocks.every(({ swaps }) => swaps.length === 0)) story.follow();
    const template = story.blocks.find(({ swaps }) => swaps.length > 0)!;
    const [swap] = template.swaps;
    const value = 2 ** 52;
    const block: HistoryBlock = {
      ...template,
      swaps: [0, 1, 2].map((logIndex) => ({ ...swap!, priceAfter: 1, value, logIndex })),
    };
    const store = await makeStore();
    const scope = new TestScope();
    try {
      const history = await scope.run(store.open);
      await scope.run(history.write([{ kind: "block", block }]));
      const [token0, token1] = [swap!.tokenIn, swap!.tokenOut].sort() as [Address, Address];
      const of = { kind: "pair", pool: swap!.pool, token0, token1 } as const;
      const [candle] = await scope.run(history.candles({ of, seconds: 3_600, limit: 1 }));
      expect(candle?.volumeUsd).toBe(Number.MAX_SAFE_INTEGER / 10_000);
    } finally {
      await scope.close();
      await store.dispose();
    }
  });
});

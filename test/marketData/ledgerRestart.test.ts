import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChainOptions, folderDisk } from "@millrace/chain";
import { budget, eventually, law, RandomSource, TEST_SEED } from "@millrace/testing";
import { numberToHex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type LedgerFixture, openLedgerFixture } from "../live/LedgerFixture.ts";
import type { MarketService, SavedService } from "../live/MarketService.ts";
import { allDifferences, excesses } from "../reference/marketLedgerDifferences.ts";

// A service is killed at any point, and another continues from what the first had saved: its data
// is the traders' account, as if nothing had happened.

const PATIENCE_MS = 600_000;
const SNAPSHOT_BLOCKS = 4;

describe("a service that is killed and started again", { timeout: PATIENCE_MS }, () => {
  let scene: LedgerFixture;
  let folder: string;
  let saved: SavedService | undefined;
  const random = new RandomSource(TEST_SEED);

  beforeAll(async () => {
    scene = await openLedgerFixture(TEST_SEED);
    folder = await mkdtemp(join(tmpdir(), "millrace-ledger-"));
  });
  afterEach(() => scene.killAll());
  afterAll(async () => {
    await scene?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const start = (given?: SavedService, options: Partial<ChainOptions> = {}) =>
    scene.open({
      chain: async (run) => ({
        disk: await run(folderDisk(folder)),
        snapshotBlocks: SNAPSHOT_BLOCKS,
        ...options,
      }),
      saved: given,
    });

  /** Trades, saves at some point, and ends in the middle. */
  async function live(service: MarketService): Promise<void> {
    const trading = scene.crowd.blocks(10, 4);
    for (let count = random.integer(3); count > 0; count--) {
      await sleep(random.integer(120));
      saved = await service.save();
    }
    await sleep(random.integer(200));
    await service.kill();
    await trading;
  }

  /** Checks that the data is the traders' own at the end, and never more before. */
  async function expectTheAccount(service: MarketService): Promise<void> {
    await service.caughtUp();
    const account = await scene.account(service);
    const compared = { graph: service.engine.graph, data: service.data };
    expect(excesses(compared, account)).toEqual([]);
    await service.complete();
    expect(allDifferences(compared, account)).toEqual([]);
  }

  it("goes on as if it had not been, again and again", async () => {
    const { cases: restarts } = law("ledger: restarts", 3);
    for (let count = 0; count < restarts; count++) {
      const service = await start(saved);
      await expectTheAccount(service);
      await live(service);
      // Sometimes others trade on in the meantime.
      if (count % 2 === 0) await scene.crowd.blocks(random.integer(12), 3);
    }
  });

  it("leaves out what was taken back while it was down", async () => {
    saved = undefined;
    const times = [
      [3, 5, 2],
      [20, 3, 0],
      [6, 0, 0],
      [9, 9, 1],
      [1, 1, 0],
    ] as const;
    for (const [depth, others, after] of times.slice(0, budget(5))) {
      const service = await start(saved);
      await expectTheAccount(service);
      await scene.crowd.blocks(depth + 2, 4);
      await expectTheAccount(service);
      saved = await service.save();
      await service.kill();
      await scene.reorganise(depth, others);
      if (after > 0) await scene.crowd.blocks(after, 3);
    }
    const service = await start(saved);
    await expectTheAccount(service);
    await service.kill();
  });

  it("leaves out what was taken back between its last save and its end", async () => {
    saved = undefined;
    for (const depth of [7, 2].slice(0, budget(2))) {
      const service = await start(saved);
      await expectTheAccount(service);
      await scene.crowd.blocks(depth + 2, 4);
      await expectTheAccount(service);
      saved = await service.save();
      await scene.reorganise(depth, depth);
      await scene.crowd.blocks(1, 3);
      await expectTheAccount(service);
      await service.kill();
    }
    const service = await start(saved);
    await expectTheAccount(service);
    await service.kill();
  });

  it("without what was saved, or with a damaged save, reads it from the chain again", async () => {
    const service = await start();
    await expectTheAccount(service);
    const { bytes } = await service.save();
    await service.kill();
    for (let count = 0; count < budget(3); count++) {
      const damaged = bytes.slice(0, count === 0 ? bytes.length - 7 : bytes.length);
      damaged[random.integer(damaged.length)]! ^= 1 << random.integer(8);
      const again = await start({ bytes: damaged, ranges: [] });
      await expectTheAccount(again);
      await again.kill();
    }
  });

  /** Checks that the data is the traders' account before any of the past is read. */
  async function expectAllAtOnce(service: MarketService): Promise<void> {
    await service.caughtUp();
    const compared = { graph: service.engine.graph, data: service.data };
    expect(allDifferences(compared, await scene.account())).toEqual([]);
  }

  it("has its candles and trades at once, before any of the past is read", async () => {
    const service = await start();
    await expectTheAccount(service);
    // The newest snapshot is older: the blocks above it are followed once more.
    await scene.crowd.blocks(2 * SNAPSHOT_BLOCKS + 3, 4);
    await expectTheAccount(service);
    const whole = await service.save();
    await service.kill();
    const again = await start(whole, { historyMs: 0 });
    await expectAllAtOnce(again);
    // Both followed the same blocks live, so their saved data is equal to the byte.
    expect(openingBlock(again)).toBeGreaterThanOrEqual(openingBlock(service));
    expect(Buffer.compare(again.data.save(), whole.bytes)).toBe(0);
    await again.kill();
  });

  it("has them without its snapshots too, opened at a block before that of its last life", async () => {
    const first = await start();
    // A long chain is opened some blocks below its head.
    await scene.chain.request("anvil_mine", [numberToHex(100)]);
    await scene.crowd.blocks(20, 2);
    await expectTheAccount(first);
    const { number } = await scene.chain.head();
    await eventually(() => number - (first.source.status().savedBlock ?? 0) <= SNAPSHOT_BLOCKS);
    await first.kill();
    const service = await start();
    await expectTheAccount(service);
    const whole = await service.save();
    await service.kill();
    const again = await scene.open({ chain: async () => ({ historyMs: 0 }), saved: whole });
    await expectAllAtOnce(again);
    // The blocks between were history for one service, and are live for the other, which prices
    // tokens in them by its market, not by their trades. So these candles differ.
    expect(openingBlock(again)).toBeLessThan(openingBlock(service));
    await again.kill();
  });

  const openingBlock = ({ told }: MarketService): number => told[0]!.stamp.number;
});

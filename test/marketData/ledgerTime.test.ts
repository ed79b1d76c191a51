import { TEST_SEED } from "@millrace/testing";
import { numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LedgerFixture, openLedgerFixture } from "../live/LedgerFixture.ts";
import type { MarketService } from "../live/MarketService.ts";
import { STEP_SECONDS, WINDOW_NAMES, WINDOW_SECONDS } from "../reference/marketLedger.ts";
import { windowDifferences } from "../reference/marketLedgerDifferences.ts";

// The test sets the chain's clock: windows roll by it, in steps of ten seconds, independent of the
// real time.

const PATIENCE_MS = 600_000;
/** Around the end of each window. */
const AROUND_SECONDS = [-12, -11, -10, -9, -8, -2, -1, 0, 1, 2, 9, 10, 11];

describe("windows on a chain whose clock is set", { timeout: PATIENCE_MS }, () => {
  let scene: LedgerFixture;
  let service: MarketService;

  beforeAll(async () => {
    scene = await openLedgerFixture(TEST_SEED);
    service = await scene.open();
    await service.complete();
  });
  afterAll(() => scene?.close());

  /** Mines an empty block at a time of the chain. */
  async function tick(seconds: number): Promise<void> {
    await scene.chain.request("evm_setNextBlockTimestamp", [numberToHex(seconds)]);
    await scene.chain.request("evm_mine");
  }

  async function expectTheAccount(): Promise<void> {
    await service.caughtUp();
    const { graph } = service.engine;
    const account = await scene.account();
    expect(windowDifferences({ graph, data: service.data }, account)).toEqual([]);
  }

  /** Trades at a time of the chain; gives that time in seconds. */
  async function trade(seconds: number): Promise<void> {
    const sendings = await scene.crowd.decide(8);
    await scene.chain.request("evm_setAutomine", [false]);
    try {
      for (const sending of sendings)
        await scene.chain.request("eth_sendTransaction", [{ ...sending, gas: "0x5b8d80" }]);
      await tick(seconds);
    } finally {
      await scene.chain.request("evm_setAutomine", [true]);
    }
  }

  async function headSeconds(): Promise<number> {
    return (await scene.chain.head()).timestampMs / 1_000;
  }

  it("lose what is too old, to the step of ten seconds", async () => {
    // After a day, earlier trades are in no window.
    let now = (await headSeconds()) + WINDOW_SECONDS["24h"] + STEP_SECONDS;
    await tick(now);
    await expectTheAccount();
    const { data, engine } = service;
    const [anchor] = scene.devnet.anchors;
    const token = engine.graph.findToken(anchor!.address)!;
    expect(data.tokenWindows(token)["24h"].transactions).toBe(0);
    // At both ends of a step.
    for (const offset of [0, STEP_SECONDS - 1]) {
      now = Math.ceil((now + 1) / STEP_SECONDS) * STEP_SECONDS + offset;
      await trade(now);
      await expectTheAccount();
      const count = data.tokenWindows(token)["5m"].transactions;
      expect(count).toBeGreaterThan(0);
      for (const window of WINDOW_NAMES) {
        const length = WINDOW_SECONDS[window];
        for (const around of AROUND_SECONDS) {
          await tick(now + length + around);
          await expectTheAccount();
          const { transactions } = data.tokenWindows(token)[window];
          // The window contains nothing older than itself, and lacks nothing that is younger by a
          // step.
          if (around >= 0) expect(transactions).toBe(0);
          if (around <= -STEP_SECONDS) expect(transactions).toBe(count);
        }
      }
      now = await headSeconds();
    }
  });

  it("get back what a leap pushed out, when the leap is taken back", async () => {
    const { chain } = scene;
    let now = await headSeconds();
    for (const seconds of [1, 7, 60, 400, 4_000]) {
      now += seconds;
      await trade(now);
    }
    await expectTheAccount();
    for (const leap of [
      STEP_SECONDS,
      WINDOW_SECONDS["5m"],
      WINDOW_SECONDS["1h"],
      WINDOW_SECONDS["24h"] + 5,
      10 * WINDOW_SECONDS["24h"],
    ]) {
      const snapshot = await chain.request("evm_snapshot");
      await trade(now + leap);
      await expectTheAccount();
      await chain.request("evm_revert", [snapshot]);
      now += 3;
      await trade(now);
      await expectTheAccount();
      expect((await scene.chain.head()).timestampMs).toBe(now * 1_000);
    }
    expect(await scene.differences(service)).toEqual([]);
  });

  it("stand still while the chain does", async () => {
    const { data, engine } = service;
    const tell = () =>
      Array.from({ length: engine.graph.tokenCount }, (_, token) =>
        data.tokenWindows(token as Parameters<typeof data.tokenWindows>[0]),
      );
    const before = JSON.stringify(tell());
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(JSON.stringify(tell())).toBe(before);
  });
});

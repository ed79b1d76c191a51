import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { budget, TEST_SEED, until } from "@millrace/testing";
import { encodeFunctionData } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NO_DEADLINE, v2RouterAbi } from "../live/abis.ts";
import { type LedgerFixture, openLedgerFixture } from "../live/LedgerFixture.ts";
import type { MarketService, MarketServiceOptions } from "../live/MarketService.ts";
import { WINDOW_SECONDS } from "../reference/marketLedger.ts";
import { type Account, allDifferences, excesses } from "../reference/marketLedgerDifferences.ts";

// A service that starts late reads missed blocks from logs: at the end its windows are the traders'
// own, and before that they never exceed them.

const BLOCKS = budget(400);
const PATIENCE_MS = budget(600_000);
const DAY_MS = 1_000 * WINDOW_SECONDS["24h"];

describe("a service that starts after days of trading", { timeout: PATIENCE_MS }, () => {
  let scene: LedgerFixture;
  let service: MarketService | undefined;

  beforeAll(async () => {
    scene = await openLedgerFixture(TEST_SEED);
    const { chain, crowd } = scene;
    // Over 30 hours, so that some of it is too old for any window.
    for (let group = 0; group < 20; group++) {
      await crowd.blocks(Math.ceil(BLOCKS / 20), 3);
      await chain.request("evm_increaseTime", [group % 4 === 3 ? 15_000 : 3_100]);
    }
    await crowd.blocks(2, 4);
  });
  afterEach(async () => {
    await service?.kill();
    service = undefined;
  });
  afterAll(() => scene?.close());

  /** Opens a service that is checked after every block it receives. */
  async function openWatched(options: MarketServiceOptions = {}): Promise<ReadonlyArray<string>> {
    const account = await scene.account();
    const found: string[] = [];
    let looks = 0;
    service = await scene.open({
      ...options,
      onBlock: ({ engine, data }) => {
        // Later blocks are not in this account.
        if (engine.graph.stamp.timestampMs !== account.headMs) return;
        looks++;
        found.push(...excesses({ graph: engine.graph, data }, account));
      },
    });
    await service.complete();
    expect(looks).toBeGreaterThan(0);
    return found;
  }

  it("has told every swap of the last day once, and no other block in part", async () => {
    expect(await openWatched()).toEqual([]);
    const account = await scene.account();
    const told = new Map<string, number>();
    for (const { stamp, swaps, history = [] } of service!.told) {
      for (const block of [{ stamp, swaps }, ...history]) {
        for (const swap of block.swaps) {
          const name = `${block.stamp.hash} ${swap.logIndex} ${swap.amountIn} ${swap.amountOut}`;
          told.set(name, (told.get(name) ?? 0) + 1);
        }
      }
    }
    const ofTheDay = account.blocks.filter(
      ({ stamp }) => stamp.timestampMs > account.headMs - DAY_MS,
    );
    const wanted = ofTheDay.flatMap(({ stamp, swaps }) =>
      swaps.map((swap) => `${stamp.hash} ${swap.logIndex} ${swap.amountIn} ${swap.amountOut}`),
    );
    expect(wanted.length).toBeGreaterThan(100);
    expect(wanted.filter((name) => told.get(name) !== 1)).toEqual([]);
    const { sinceMs } = service!.source.history!();
    expect(sinceMs).toBeLessThanOrEqual(ofTheDay[0]!.stamp.timestampMs);
  });

  it("tells the traders' account when history is complete, and never more before", async () => {
    expect(await openWatched()).toEqual([]);
    const account = await scene.account(service);
    const { engine, data } = service!;
    const compared = { graph: engine.graph, data };
    expect(excesses(compared, account)).toEqual([]);
    expect(allDifferences(compared, toldOf(account, service!))).toEqual([]);
  });

  it("does so while traders go on and the chain takes back what history just told", async () => {
    service = await scene.open();
    for (let round = 0; round < 6; round++) {
      await scene.crowd.blocks(3, 3);
      await scene.reorganise(2 + 3 * round, 4);
    }
    await service.caughtUp();
    await service.complete();
    const account = await scene.account(service);
    const { engine, data } = service;
    const onChain = toldOf(account, service);
    expect(allDifferences({ graph: engine.graph, data }, onChain)).toEqual([]);
  });
});

// On a chain of its own: in a crowd's market, the pair may exist.
describe("a service that admits a pool late", { timeout: PATIENCE_MS }, () => {
  let scene: LedgerFixture;
  let service: MarketService;

  beforeAll(async () => {
    scene = await openLedgerFixture(TEST_SEED);
  });
  afterAll(() => scene?.close());

  it("tells of what was traded in it before", async () => {
    const { devnet, chain, crowd } = scene;
    const [weth] = devnet.anchors;
    const other = devnet.tokens.find(({ symbol }) => symbol === "EURC")!;
    const trader = devnet.traders[0]!.address;
    const router = devnet.contracts.v2SisterRouter;
    const send = (data: Hex) =>
      chain.request<{ readonly status: Hex }>("eth_sendTransactionSync", [
        { from: trader, to: router, data, gas: "0x5b8d80" },
      ]);
    const add = (share: bigint) => {
      const amounts = [share * 10n ** 15n, share * 3n * 10n ** 6n] as const;
      const tokens = [weth!.address, other.address] as const;
      const args = [...tokens, ...amounts, 0n, 0n, trader, NO_DEADLINE] as const;
      return send(encodeFunctionData({ abi: v2RouterAbi, functionName: "addLiquidity", args }));
    };
    const swap = (amountIn: bigint, path: ReadonlyArray<Address>) => {
      const args = [amountIn, 0n, path, trader, NO_DEADLINE] as const;
      const functionName = "swapExactTokensForTokens";
      return send(encodeFunctionData({ abi: v2RouterAbi, functionName, args }));
    };
    const admission = { anchors: devnet.anchors, depthFloorUsd: 1_000, pools: [] };
    service = await scene.open({ chain: async () => ({ admission }) });
    await service.complete();
    // A pool of six dollars: far below the floor, but still traded.
    expect((await add(1n)).status).toBe("0x1");
    const there = [weth!.address, other.address];
    for (let count = 0; count < 2; count++) {
      expect((await swap(10n ** 13n, there)).status).toBe("0x1");
      expect((await swap(29_000n, there.toReversed())).status).toBe("0x1");
    }
    await service.caughtUp();
    const made = await pairOf(other.address, weth!.address);
    expect(service.engine.graph.findPool(made)).toBeUndefined();
    expect(await windowsOf(service)).toEqual([]);
    expect((await add(100_000n)).status).toBe("0x1");
    await crowd.blocks(2, 2);
    const { graph } = service.engine;
    const { source } = service;
    await until(
      () => graph.findPool(made) !== undefined,
      () => JSON.stringify(source.status()),
    );
    expect(await windowsOf(service)).toEqual([]);
    const pool = service.engine.graph.findPool(made)!;
    expect(service.data.poolWindows(pool)["24h"].transactions).toBeGreaterThanOrEqual(4);
  });

  async function windowsOf(one: MarketService): Promise<ReadonlyArray<string>> {
    await one.caughtUp();
    const account = toldOf(await scene.account(one), one);
    return allDifferences({ graph: one.engine.graph, data: one.data }, account);
  }

  async function pairOf(token: Address, other: Address): Promise<Address> {
    const { blocks } = await scene.account();
    const tokens = [token, other].sort().join();
    const factory = scene.devnet.pools.map(({ address }) => address);
    const swaps = blocks.flatMap((block) => block.swaps);
    const found = swaps.findLast(
      (swap) => swap.tokens.join() === tokens && !factory.includes(swap.pool),
    );
    return found!.pool;
  }
});

/**
 * The part of the account whose swaps the service has received; all of it until that is known.
 */
function toldOf(account: Account, { told }: MarketService): Account {
  const hashes = new Set<Hex>(
    told.flatMap(({ stamp, history = [] }) => [
      stamp.hash,
      ...history.map((past) => past.stamp.hash),
    ]),
  );
  return { ...account, blocks: account.blocks.filter(({ stamp }) => hashes.has(stamp.hash)) };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, TEST_SEED } from "@millrace/testing";
import { tradesOnChain } from "@millrace/testing/devnet";
import { Effect } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MarketTrade, MillraceError, TradeOptions } from "../src/index.ts";
import { FacadeChain } from "./FacadeChain.ts";

const PATIENCE = { timeout: 300_000 };
const BLOCKS = 8;

let folder: string;
let local: FacadeChain;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-records-"));
  // Memory holds a few trades only: the others come from the history.
  local = await FacadeChain.open(TEST_SEED, { tradesMax: 5 }, { dataDirectory: folder });
  const { traffic } = local.chain.devnet;
  await Effect.runPromise(Effect.repeat(traffic.block(8), { times: BLOCKS - 1 }));
  await local.caughtUp();
  // Until the history has what memory has no place for, only memory's trades are told.
  await eventually(async () => {
    for (const { address: pool } of local.chain.devnet.pools) {
      const trades = await paged({ pool });
      if (trades.length !== (await tradesOnChain(local.chain, pool)).length) return false;
    }
    return true;
  });
}, PATIENCE.timeout);
afterAll(async () => {
  await local?.close();
  await rm(folder, { recursive: true });
});

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "none",
    (error: MillraceError) => error.code,
  );

describe("the facade's records", PATIENCE, () => {
  it("list every trade of the chain, page after page, by whatever they are asked", async () => {
    const { engine, chain } = local;
    const all: MarketTrade[] = [];
    for (const { address: pool } of chain.devnet.pools) {
      const expected = await tradesOnChain(chain, pool);
      const trades = await paged({ pool });
      expect(trades.map(({ id }) => id)).toEqual(expected);
      all.push(...trades);
    }
    expect(all.length).toBeGreaterThan(10);
    const some = all[all.length >> 1]!;
    const { transactionHash, maker, tokenIn } = some;
    const idsOf = (trades: ReadonlyArray<MarketTrade>) => trades.map(({ id }) => id).sort();
    for (const [options, isWanted] of [
      [
        { transaction: transactionHash },
        (trade: MarketTrade) => trade.transactionHash === transactionHash,
      ],
      [{ maker: maker! }, (trade: MarketTrade) => trade.maker === maker],
      [
        { token: tokenIn },
        (trade: MarketTrade) => [trade.tokenIn, trade.tokenOut].includes(tokenIn),
      ],
      [
        { token: tokenIn, toMs: some.block.timestampMs },
        (trade: MarketTrade) =>
          [trade.tokenIn, trade.tokenOut].includes(tokenIn) &&
          trade.block.timestampMs <= some.block.timestampMs,
      ],
      [
        { token: tokenIn, maker: maker! },
        (trade: MarketTrade) =>
          [trade.tokenIn, trade.tokenOut].includes(tokenIn) && trade.maker === maker,
      ],
    ] as const) {
      const found = await engine.trades({ ...options, limit: 5_000 });
      expect(idsOf(found)).toEqual(idsOf(all.filter(isWanted)));
    }
  });

  it("have the volumes of days in candles, which are the values of trades", async () => {
    const { engine, chain } = local;
    let candles = 0;
    for (const { address: pool } of chain.devnet.pools) {
      const trades = await paged({ pool });
      for (const interval of ["1m", "1d"] as const) {
        const found = await engine.candles({ pool, interval, limit: 50_000 });
        const volume = found.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0);
        expect(volume).toBeCloseTo(
          trades.reduce((sum, { valueUsd }) => sum + valueUsd, 0),
          2,
        );
        expect(found.every(({ low, open, high }) => low <= open && open <= high)).toBe(true);
        candles += found.length;
      }
    }
    expect(candles).toBeGreaterThan(4);
    expect((await engine.candles({ token: "WETH", interval: "1d" })).length).toBeGreaterThan(0);
    expect(engine.tokens().items[0]!.priceChanges).toHaveProperty("days30");
  });

  it("refuse what makes no sense", async () => {
    const { engine, chain } = local;
    const { address: pool } = chain.devnet.pools[0]!;
    const calls = [
      engine.candles({} as never),
      engine.candles({ token: "WETH", interval: "2m" as never }),
      engine.candles({ token: "WETH", limit: 0 }),
      engine.candles({ token: "WETH", fromMs: 2, toMs: 1 }),
      engine.candles({ token: "WETH", base: "WETH" } as never),
      engine.candles({ token: "WETH", pool } as never),
      engine.trades({ token: "WETH", before: "last" }),
      engine.trades({ maker: "WETH" }),
      engine.trades({ pool, transaction: `0x${"1".repeat(64)}` } as never),
      engine.trades({ pool: `0x${"1".repeat(40)}` }),
      engine.trades({ token: "NONE" }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual([
      ...Array.from({ length: 9 }, () => "INVALID_REQUEST"),
      "UNKNOWN_POOL",
      "UNKNOWN_TOKEN",
    ]);
    const signal = AbortSignal.abort();
    expect(await codeOf(engine.trades({ pool }, { signal }))).toBe("ABORTED");
  });
});

/** All trades of a subject, page after page. */
async function paged(subject: TradeOptions): Promise<MarketTrade[]> {
  const trades: MarketTrade[] = [];
  for (;;) {
    const before = trades.at(-1)?.id;
    const page = await local.engine.trades({
      ...subject,
      limit: 4,
      ...(before !== undefined && { before }),
    });
    trades.push(...page);
    if (page.length < 4) return trades;
  }
}

import type { Address } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { budget, law, TEST_SEED, until } from "@millrace/testing";
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_DEADLINE, v2RouterAbi } from "../live/abis.ts";
import { type LedgerFixture, openLedgerFixture } from "../live/LedgerFixture.ts";
import type { MarketService } from "../live/MarketService.ts";
import { GAS } from "../live/RandomTraders.ts";

// Traders on a real EVM keep a ledger of their own, from their receipts. The service's windows,
// trades and candles must equal it: counts and amounts exactly, dollars to the ten-thousandth.

type WindowSums = ReturnType<MarketData["tokenWindows"]>["24h"];

const PATIENCE_MS = budget(600_000);

describe("what the service tells of trading on a devnet", { timeout: PATIENCE_MS }, () => {
  let scene: LedgerFixture;
  let service: MarketService;

  beforeAll(async () => {
    scene = await openLedgerFixture(TEST_SEED);
    service = await scene.open();
    await service.complete();
  });
  afterAll(() => scene?.close());

  it("is the traders' own account while they trade, whatever they do", async () => {
    const { cases: rounds } = law("ledger: rounds of trading", 2);
    for (let round = 0; round < rounds; round++) {
      await scene.crowd.blocks(8, 6);
      await scene.run(scene.devnet.traffic.block(6));
      expect(await scene.differences(service)).toEqual([]);
    }
    const { blocks } = await scene.account();
    const swaps = blocks.flatMap((block) => block.swaps);
    expect(swaps.length).toBeGreaterThan(rounds * 40);
    // There were transactions with several swaps, and with several in one pool.
    const pools = new Set(swaps.map(({ pool, transactionHash }) => transactionHash + pool));
    const hashes = new Set(swaps.map(({ transactionHash }) => transactionHash));
    expect(hashes.size).toBeLessThan(pools.size);
    expect(pools.size).toBeLessThan(swaps.length);
  });

  it("counts a swap over two pools once for each of three tokens, and for the middle one both hops", async () => {
    const { devnet, chain } = scene;
    const { data, engine } = service;
    const symbols = ["LINK", "WETH", "PEPE"];
    const [link, weth, pepe] = symbols.map(
      (symbol) => devnet.tokens.find((token) => token.symbol === symbol)!.address,
    ) as [Address, Address, Address];
    const path = [link, weth, pepe];
    const pools = [link, pepe].map((other) => {
      const isOf = ({ dexId, token0, token1 }: (typeof devnet.pools)[number]) =>
        dexId === "UNISWAP_V2" && [token0, token1].sort().join() === [weth, other].sort().join();
      return engine.graph.findPool(devnet.pools.find(isOf)!.address)!;
    });
    const { v2Router: to } = devnet.contracts;
    const amountIn = 123_456_789_012_345_678n;
    const ask = { functionName: "getAmountsOut", args: [amountIn, path] } as const;
    const question = { to, data: encodeFunctionData({ abi: v2RouterAbi, ...ask }) };
    const [answer] = await chain.callAll([question]);
    const [, middle] = decodeFunctionResult({ abi: v2RouterAbi, ...ask, data: answer! });
    await chain.request("evm_mine");
    const look = () => ({
      tokens: path.map((token) => data.tokenWindows(engine.graph.findToken(token)!)["24h"]),
      pools: pools.map((pool) => data.poolWindows(pool)["24h"]),
    });
    await service.caughtUp();
    const before = look();
    const from = devnet.traders[0]!.address;
    const args = [amountIn, 0n, path, from, NO_DEADLINE] as const;
    const functionName = "swapExactTokensForTokens";
    const call = encodeFunctionData({ abi: v2RouterAbi, functionName, args });
    await chain.request("eth_sendTransactionSync", [{ from, to, data: call, gas: GAS }]);
    await service.caughtUp();
    const after = look();
    // Ten-thousandths of a dollar, at 3,500 dollars.
    const value = Number((middle! * 35_000_000n * 2n + 10n ** 18n) / (2n * 10n ** 18n));
    const growth = (now: WindowSums, then: WindowSums) => [
      now.transactions - then.transactions,
      now.buys - then.buys,
      now.sells - then.sells,
      Math.round((now.volumeUsd - then.volumeUsd) * 10_000),
    ];
    expect(after.tokens.map((now, place) => growth(now, before.tokens[place]!))).toEqual([
      [1, 0, 1, value],
      [1, 1, 1, 2 * value],
      [1, 1, 0, value],
    ]);
    // A swap buys the pool's first token where it pays out the token with the lower address.
    const firstBought = [weth < link, pepe < weth];
    expect(after.pools.map((now, place) => growth(now, before.pools[place]!))).toEqual(
      firstBought.map((isBought) => [1, isBought ? 1 : 0, isBought ? 0 : 1, value]),
    );
  });

  it("is the account of the chain that is left, through reorganisations", async () => {
    const reorganisations = law("ledger: reorganisations", 4);
    const random = reorganisations.random();
    for (let count = 0; count < reorganisations.cases; count++) {
      const depth = count === 0 ? 20 : 1 + random.integer(20);
      await scene.crowd.blocks(Math.max(1, depth - random.integer(3)), 3);
      // Every other time the service has not seen all of the reverted blocks.
      if (count % 2 === 0) await service.caughtUp();
      await scene.reorganise(depth, random.integer(2 * depth + 1));
      if (random.integer(3) === 0) await scene.crowd.blocks(1, 3);
      expect([depth, await scene.differences(service)]).toEqual([depth, []]);
    }
    expect(service.source.status().reorganisations).toBeGreaterThan(reorganisations.cases / 2);
    expect(service.source.status().resynchronisations).toBe(0);
  });

  it("capitalises tokens by the supplies that they tell themselves", async () => {
    const { devnet, chain } = scene;
    const { data, engine } = service;
    // The supply of the wrapped native token changes with every trade.
    const tokens = devnet.tokens.filter(({ symbol }) => symbol !== "WETH");
    const ask = { abi: erc20Abi, functionName: "totalSupply" } as const;
    const calls = tokens.map(({ address: to }) => ({ to, data: encodeFunctionData(ask) }));
    const supplies = (await chain.callAll(calls)).map((answer) =>
      decodeFunctionResult({ ...ask, data: answer! }),
    );
    const views = () => tokens.map(({ address }) => data.token(engine.graph.findToken(address)!));
    const told = () => views().map(({ totalSupply }) => totalSupply);
    await until(
      () => told().every((supply) => supply !== undefined),
      () => told().join(),
    );
    expect(told()).toEqual(supplies);
    let capitalised = 0;
    for (const { priceUsd, decimals, totalSupply, marketCapUsd } of views()) {
      if (priceUsd === 0) expect(marketCapUsd).toBeUndefined();
      else {
        expect(marketCapUsd! / ((Number(totalSupply) / 10 ** decimals) * priceUsd)).toBeCloseTo(1);
        capitalised++;
      }
    }
    expect(capitalised).toBeGreaterThan(5);
  });

  it("is that of a chain that goes back, and on from there", async () => {
    const { chain, crowd } = scene;
    for (const after of [1, 4]) {
      const snapshot = await chain.request("evm_snapshot");
      await crowd.blocks(3, 4);
      await service.caughtUp();
      await chain.request("evm_revert", [snapshot]);
      await crowd.blocks(after, 4);
      expect(await scene.differences(service)).toEqual([]);
    }
  });
});

describe("a reorganisation deeper than the journal", { timeout: PATIENCE_MS }, () => {
  it("leaves nothing in the windows of what was taken back", async () => {
    const scene = await openLedgerFixture(TEST_SEED + 1);
    try {
      const service = await scene.open({ chain: async () => ({ journalDepth: 8 }) });
      await service.complete();
      await scene.crowd.blocks(24, 4);
      expect(await scene.differences(service)).toEqual([]);
      await scene.reorganise(20, 12);
      await scene.crowd.blocks(2, 3);
      await service.caughtUp();
      await service.complete();
      expect(service.source.status().resynchronisations).toBe(1);
      expect(await scene.differences(service)).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});

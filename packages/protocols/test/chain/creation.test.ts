import type { PoolListing } from "@millrace/core";
import type { ChainDex, ChainLog, Hex } from "@millrace/protocols";
import { chainProtocols, FEE_INSIDE } from "@millrace/protocols";
import { type PlainPool, readMarket } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import {
  brokenShapes,
  concentratedLiquidity,
  constantProduct,
  hexOf,
  logOf,
  TOPICS,
} from "./chainFixture.ts";

const pools = readMarket("ethereum-2026-03/universe-a.json").pools;

/** The venues of the recorded market, as they are deployed on Ethereum. */
const DEXES: ReadonlyArray<DerivedDex> = [
  {
    id: "UNISWAP_V2",
    name: "Uniswap V2",
    protocol: "constant-product",
    factory: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
    initCodeHash: "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f",
    feePips: 3000,
    startBlock: 10_000_835,
  },
  {
    id: "SUSHISWAP_V2",
    name: "SushiSwap V2",
    protocol: "constant-product",
    factory: "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac",
    initCodeHash: "0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303",
    feePips: 3000,
    startBlock: 10_794_229,
  },
  {
    id: "PANCAKESWAP_V2",
    name: "PancakeSwap V2",
    protocol: "constant-product",
    factory: "0x1097053fd2ea711dad45caccc45eff7548fcb362",
    initCodeHash: "0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d",
    feePips: 2500,
    startBlock: 15_614_590,
  },
  {
    id: "UNISWAP_V3",
    name: "Uniswap V3",
    protocol: "concentrated-liquidity",
    factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984",
    initCodeHash: "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54",
    startBlock: 12_369_621,
  },
  {
    id: "PANCAKESWAP_V3",
    name: "PancakeSwap V3",
    protocol: "concentrated-liquidity",
    factory: "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865",
    deployer: "0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9",
    initCodeHash: "0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2",
    startBlock: 16_950_686,
  },
];

interface DerivedDex extends ChainDex {
  readonly initCodeHash: Hex;
  readonly deployer?: Hex;
}

describe("the creation of a pool", () => {
  it.each(DEXES)(
    "is believed for every recorded pool of $name, and for no other address",
    (dex) => {
      const created = pools.filter(({ dexId }) => dexId === dex.id);
      expect(created.length).toBeGreaterThan(0);
      for (const pool of created) {
        const log = creationOf(pool, dex.factory);
        expect(decode(dex, log)).toEqual(listingOf(pool));
        const { initCodeHash: _, ...unchecked } = dex;
        expect(decode(unchecked, log)).toEqual(listingOf(pool));
        expect(decode({ ...dex, initCodeHash: TOPICS.sync }, log)).toBeUndefined();
        const elsewhere = creationOf({ ...pool, address: `0x${"ab".repeat(20)}` }, dex.factory);
        expect(decode(dex, elsewhere)).toBeUndefined();
      }
    },
  );

  it("is derived from the deployer where one is configured", () => {
    const { deployer: _, ...dex } = DEXES.find(({ deployer }) => deployer !== undefined)!;
    const pool = pools.find(({ dexId }) => dexId === dex.id)!;
    expect(decode(dex, creationOf(pool, dex.factory))).toBeUndefined();
  });

  it("is compared whatever the case of the configured addresses", () => {
    for (const dex of DEXES) {
      const pool = pools.find(({ dexId }) => dexId === dex.id)!;
      const upper = (text: string) => `0x${text.slice(2).toUpperCase()}` as const;
      const loud = { ...dex, factory: upper(dex.factory), initCodeHash: upper(dex.initCodeHash) };
      expect(decode(loud, creationOf(pool, dex.factory))).toEqual(listingOf(pool));
    }
  });

  it("is not believed of logs that no factory writes", () => {
    for (const { initCodeHash: _, ...dex } of DEXES) {
      const pool = pools.find(({ dexId }) => dexId === dex.id)!;
      const log = creationOf(pool, dex.factory);
      const isPair = dex.protocol === "constant-product";
      const [token0, token1] = [BigInt(pool.token0), BigInt(pool.token1)];
      const address = BigInt(pool.address);
      const topic = log.topics[0]!;
      const written = (
        { first = token0, second = token1, pool = address },
        rest: { fee?: bigint; tickSpacing?: bigint } = {},
      ) =>
        isPair
          ? logOf(topic, [first, second], [pool, 1n], dex.factory)
          : logOf(
              topic,
              [first, second, rest.fee ?? 3000n],
              [rest.tickSpacing ?? 60n, pool],
              dex.factory,
            );
      expect(decode(dex, written({}))).toBeDefined();
      const wrong: ChainLog[] = [
        ...brokenShapes(log),
        { ...log, address: pool.address },
        { ...log, topics: [TOPICS.sync, ...log.topics.slice(1)] },
        written({ first: token1, second: token0 }),
        written({ second: token0 }),
        written({ first: 0n }),
        written({ pool: 0n }),
        written({ first: token0 + 2n ** 160n }),
        written({ second: token1 + 2n ** 160n }),
        written({ pool: address + 2n ** 255n }),
      ];
      const wrongNumbers = [
        { fee: 1_000_000n },
        { fee: 3000n + 2n ** 24n },
        { fee: 2n ** 255n },
        { tickSpacing: 0n },
        { tickSpacing: -60n },
        { tickSpacing: 16_384n },
        { tickSpacing: 60n + 2n ** 24n },
      ];
      if (!isPair) wrong.push(...wrongNumbers.map((numbers) => written({}, numbers)));
      for (const given of wrong) expect(decode(dex, given)).toBeUndefined();
    }
  });

  it("is not waited for of a venue of pairs that names no fee, or settings that are none", () => {
    const { feePips: _, ...dex } = DEXES[0]!;
    const { open } = chainProtocols[0]!;
    expect(() => open(dex)).toThrow(/feePips/);
    expect(() => open({ ...dex, feePips: 1_000_000 })).toThrow(/feePips/);
    expect(() => open({ ...dex, feePips: 3000, deployer: "0x12" })).toThrow(/deployer/);
  });

  it("of a pair tells which of its factory's pairs it is, of a V3 pool does not", () => {
    const pair = logOf(TOPICS.pairCreated, [1, 2], [3n, 77n]);
    expect(constantProduct.creationNumber?.(pair)).toBe(77n);
    expect(constantProduct.creationNumber?.({ ...pair, data: hexOf(3n) })).toBeUndefined();
    expect(concentratedLiquidity.creationNumber).toBeUndefined();
  });
});

function decode(dex: ChainDex, log: ChainLog): PoolListing | undefined {
  const { open } = chainProtocols.find(({ name }) => name === dex.protocol)!;
  const creation = open(dex).decodeCreation(log);
  if (creation !== undefined && !("listing" in creation)) throw new Error("no listing");
  return creation?.listing;
}

function creationOf(pool: PlainPool, factory: `0x${string}`): ChainLog {
  const [token0, token1, address] = [pool.token0, pool.token1, pool.address].map(BigInt);
  return pool.family === "constantProduct"
    ? logOf(TOPICS.pairCreated, [token0!, token1!], [address!, 1n], factory)
    : logOf(
        TOPICS.poolCreated,
        [token0!, token1!, pool.feePips],
        [pool.tickSpacing, address!],
        factory,
      );
}

function listingOf(pool: PlainPool): PoolListing {
  const { address, dexId, feePips } = pool;
  const parameter = pool.family === "constantProduct" ? FEE_INSIDE : pool.tickSpacing;
  return { address, dexId, tokens: [pool.token0, pool.token1], feePips, parameter };
}

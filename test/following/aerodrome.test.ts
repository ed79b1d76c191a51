import { REFUSED } from "@millrace/core";
import { aerodromeFactoryAbi, type FamilyPool, FamilyPools } from "@millrace/devnet";
import { budget, RandomSource, TEST_SEED, until } from "@millrace/testing";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveMarket, openLiveMarket } from "../live/LiveMarket.ts";

// Pools with Aerodrome's interface on a real EVM go through all kinds of changes; the followed
// graph is compared with the contracts.

const GAS = "0xf4240";
const random = new RandomSource(TEST_SEED);
let live: LiveMarket;
let pools: ReadonlyArray<SolidlyPool>;
type SolidlyPool = FamilyPool & { readonly family: "aerodrome-stable" | "aerodrome-volatile" };
const isSolidly = <pool extends FamilyPool>(pool: pool): pool is pool & SolidlyPool =>
  pool.family.startsWith("aerodrome");

beforeAll(async () => {
  const withAerodrome = async ({ dexes, families, startBlock }: LiveMarket["devnet"]) => {
    const { factory, initCodeHash } = families!.contracts.aerodrome;
    const aerodrome = {
      ...{ id: "AERODROME", name: "Aerodrome", protocol: "aerodrome" },
      ...{ factory, initCodeHash, startBlock },
    };
    // Without audits, so that errors of the follower persist and are found here.
    return { dexes: [...dexes, aerodrome], auditedPools: 0, auditedQuotes: 0 };
  };
  live = await openLiveMarket("BASE", TEST_SEED, withAerodrome, { families: true });
  pools = live.devnet.families!.pools.filter(isSolidly);
});
afterAll(() => live?.close());

type FactoryCall = {
  readonly functionName: "setFee" | "setCustomFee" | "setPauseState";
  readonly args: ReadonlyArray<unknown>;
};

/** A transaction of the factory's owner. */
function govern(call: FactoryCall) {
  const { governor, aerodrome } = live.devnet.families!.contracts;
  const data = encodeFunctionData({ abi: aerodromeFactoryAbi, ...call } as never);
  return { from: governor, to: aerodrome.factory, data, gas: GAS };
}

const send = (call: FactoryCall) => live.chain.request("eth_sendTransactionSync", [govern(call)]);

/**
 * Checks that the graph has every pool as in its contracts, or none of them, and equals a graph
 * that is read anew.
 */
async function expectAsOnChain(areIn = true): Promise<void> {
  await live.caughtUp();
  const { chain, devnet, engine, source } = live;
  const contracts = new FamilyPools(
    (method, params) => chain.request(method, params),
    devnet.families!.contracts,
  );
  const { graph, familyOf } = engine;
  for (const pool of pools) {
    const index = graph.findPool(pool.address);
    expect(index !== undefined, pool.address).toBe(areIn);
    if (index === undefined) continue;
    const { reserve0, reserve1, fee, isPaused } = await contracts.state(pool);
    const curve = familyOf(index);
    expect({ amounts: curve.tokenAmounts(index), fee: curve.feePips(index, 0, 1) }).toEqual({
      ...{ amounts: [reserve0, reserve1], fee: 100 * fee },
    });
    expect(isPaused).toBe(false);
    const zeroForOne = random.integer(2) === 0;
    const [positionIn, reserve] = zeroForOne ? [0, reserve0] : [1, reserve1];
    const amount = reserve / BigInt(2 + random.integer(10_000));
    const quote = curve.quoteExactIn(index, positionIn, 1 - positionIn, amount);
    const request = { kind: "exactIn", zeroForOne, amount } as const;
    expect(quote).toBe((await contracts.quote(pool, request)) ?? REFUSED);
  }
  expect(await live.run(source.verify(engine.snapshot()))).toMatchObject({ equal: true });
  expect(live.rejected).toEqual([]);
}

describe("pools of Aerodrome's kind on a chain", { timeout: 300_000 }, () => {
  it("are all in the market, volatile and stable ones", async () => {
    expect(new Set(pools.map(({ family }) => family)).size).toBe(2);
    await expectAsOnChain();
  });

  it("are followed through swaps, mints and burns", async () => {
    const { engine, run, devnet } = live;
    const before = pools.map(
      ({ address }) => engine.graph.poolVersion[engine.graph.findPool(address)!]!,
    );
    for (let round = budget(3); round > 0; round--) {
      for (let block = 0; block < 4; block++) await run(devnet.traffic.block(8));
      await expectAsOnChain();
    }
    const after = pools.map(
      ({ address }) => engine.graph.poolVersion[engine.graph.findPool(address)!]!,
    );
    expect(after.filter((version, index) => version !== before[index]).length).toBeGreaterThan(0);
  });

  it("have at each block the fee that the factory charges then, set with a log or without", async () => {
    const stable = pools.find(({ family }) => family === "aerodrome-stable")!;
    const volatile = pools.find(({ family }) => family === "aerodrome-volatile")!;
    const feeOf = ({ address }: FamilyPool) => {
      const { graph, familyOf } = live.engine;
      const index = graph.findPool(address)!;
      return familyOf(index).feePips(index, 0, 1);
    };
    await send({ functionName: "setFee", args: [false, 77n] });
    await send({ functionName: "setCustomFee", args: [stable.address, 3n] });
    await expectAsOnChain();
    expect([feeOf(stable), feeOf(volatile)]).toEqual([300, 7_700]);
    await send({ functionName: "setCustomFee", args: [volatile.address, 420n] });
    await send({ functionName: "setFee", args: [true, 9n] });
    await expectAsOnChain();
    expect([feeOf(stable), feeOf(volatile)]).toEqual([300, 0]);
    await send({ functionName: "setCustomFee", args: [stable.address, 0n] });
    await send({ functionName: "setCustomFee", args: [volatile.address, 0n] });
    await expectAsOnChain();
    expect([feeOf(stable), feeOf(volatile)]).toEqual([900, 7_700]);
  });

  it("have after a reorganisation the fees and reserves of the blocks that stand", async () => {
    const { chain, devnet, run, source } = live;
    const { reorganisations } = source.status();
    const [first, second] = pools as [FamilyPool, FamilyPool];
    await send({ functionName: "setCustomFee", args: [first.address, 11n] });
    await run(devnet.traffic.block(8));
    await send({ functionName: "setFee", args: [true, 200n] });
    await send({ functionName: "setFee", args: [false, 200n] });
    await expectAsOnChain();
    const instead = govern({ functionName: "setCustomFee", args: [second.address, 13n] });
    await chain.request("anvil_reorg", [4, [[instead, 0]]]);
    await run(devnet.traffic.block(8));
    await expectAsOnChain();
    expect(source.status().reorganisations).toBeGreaterThan(reorganisations);
  });

  it("are in no route while the factory is paused, and all of them afterwards", async () => {
    await send({ functionName: "setPauseState", args: [true] });
    await expectAsOnChain(false);
    const dex = () => live.source.status().dexes.find(({ dexId }) => dexId === "AERODROME");
    expect(dex()).toMatchObject({
      loadedPools: 0,
      refused: [{ reason: "paused", count: pools.length }],
    });
    await send({ functionName: "setPauseState", args: [false] });
    const isBack = () => dex()?.loadedPools === pools.length;
    await until(isBack, () => JSON.stringify(dex()));
    await expectAsOnChain();
    expect(live.source.status()).toMatchObject({ driftedPools: 0, resynchronisations: 0 });
  });
});

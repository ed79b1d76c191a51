import { readData } from "@millrace/testing";
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  keccak256,
  type Log,
  parseAbiParameters,
  parseEventLogs,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  algebraFactoryAbi,
  algebraPoolAbi,
  algebraQuoterAbi,
  ticksPoolAbi,
} from "../src/contracts/familyAbis.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyBench, firstTopics } from "./FamilyBench.ts";
import { expectCases, positionsOf, ticksStateOf, type Vectors } from "./familyVectors.ts";

const vectors = readData<Vectors>("families/algebra-integral.json");
const ONE = 10n ** 18n;

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

const callFactory = (
  call:
    | { readonly functionName: "createPool"; readonly args: readonly [Address, Address, "0x"] }
    | { readonly functionName: "setDefaultPluginFactory"; readonly args: readonly [Address] },
) =>
  bench.send({
    to: bench.contracts.algebra.factory,
    data: encodeFunctionData({ abi: algebraFactoryAbi, ...call }),
  });

/** Makes a pool through the factory, at a price; with the logs that this wrote. */
async function openPool(sqrtPriceX96: bigint) {
  const [token0, token1] = await bench.tokens();
  const args = [token0, token1, "0x"] as const;
  const { logs: created } = await callFactory({ functionName: "createPool", args });
  const { poolDeployer, initCodeHash } = bench.contracts.algebra;
  const named = encodeAbiParameters(parseAbiParameters("address, address"), [token0, token1]);
  const address = getCreate2Address({
    ...{ from: poolDeployer, salt: keccak256(named), bytecodeHash: initCodeHash },
  }).toLowerCase() as Address;
  const initialize = { functionName: "initialize", args: [sqrtPriceX96] } as const;
  const data = encodeFunctionData({ abi: ticksPoolAbi, ...initialize });
  await bench.send({ to: address, data });
  const pool: FamilyPool = { family: "algebra-integral", address, id: address, token0, token1 };
  return { pool, created };
}

describe("Algebra's real pools, in recorded states", () => {
  for (const [name, recorded] of Object.entries(vectors.pools)) {
    it(`say what was recorded, and quote it: ${name}`, async () => {
      const expected = ticksStateOf(recorded);
      const fee = Number(recorded.state["fee"]);
      const setPlugins = { functionName: "setDefaultPluginFactory" } as const;
      // Without a plugin the fee stands still.
      await callFactory({ ...setPlugins, args: [zeroAddress] });
      const { pool } = await openPool(expected.sqrtPriceX96);
      await callFactory({ ...setPlugins, args: [bench.contracts.algebra.pluginFactory] });
      const setFee = { abi: algebraPoolAbi, functionName: "setFee", args: [fee] } as const;
      if (fee !== 500) await bench.send({ to: pool.address, data: encodeFunctionData(setFee) });
      await bench.mint(pool, positionsOf(expected));
      expect(await bench.pools.state(pool)).toEqual({ ...expected, fee });
      expect(await expectCases(vectors, name, bench.pools, pool)).toBeGreaterThan(0);
    });
  }
});

/** With liquidity over everything and around the price, which is one. */
async function openFilled() {
  const { pool } = await openPool(2n ** 96n);
  await bench.mint(pool, [
    [-887_220, 887_220, 10n * ONE],
    [-600, 600, 90n * ONE],
  ]);
  return pool;
}

describe("a pool of Algebra Integral", () => {
  it("is where the factory says, and its pool deployer and creation code put it", async () => {
    const { pool, created } = await openPool(2n ** 96n);
    const [event] = parseEventLogs({ abi: algebraFactoryAbi, logs: [...created] });
    expect(event!.args.pool.toLowerCase()).toBe(pool.address);
    const plugin = await bench.read(pool.address, {
      ...{ abi: algebraPoolAbi, functionName: "plugin" },
    });
    expect(plugin).not.toBe(zeroAddress);
  });

  it("swaps for what it has quoted, as the published quoter does, across ticks, in all four ways", async () => {
    const pool = await openFilled();
    for (const zeroForOne of [true, false, true, false])
      for (const kind of ["exactIn", "exactOut"] as const) {
        const amount = 5n * ONE;
        // The volatility of the time between, and so the fee, is that of the block that asks.
        await bench.request("evm_increaseTime", [600]);
        await bench.request("evm_mine", []);
        const time = Number((await bench.block()).timestamp);
        const quoted = await bench.pools.quote(pool, { kind, zeroForOne, amount });
        if (kind === "exactIn") expect(await published(pool, zeroForOne, amount)).toBe(quoted);
        await bench.request("evm_setNextBlockTimestamp", [time]);
        const logs = await bench.swap(pool, zeroForOne, kind === "exactIn" ? amount : -amount);
        const swaps = parseEventLogs({ abi: ticksPoolAbi, eventName: "Swap", logs: [...logs] });
        const { amount0, amount1 } = swaps[0]!.args;
        const [paid, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
        expect([paid, got]).toEqual(kind === "exactIn" ? [amount, quoted] : [quoted, amount]);
      }
  });

  it("charges a fee that moves with volatility and time; its state says the last one only", async () => {
    const pool = await openFilled();
    const lastFee = async () => {
      const asked = { abi: algebraPoolAbi, functionName: "globalState" } as const;
      return (await bench.read(pool.address, asked))[2];
    };
    const fees = new Set<number>();
    for (let round = 0; round < 4; round++) {
      await bench.request("evm_increaseTime", [3_600]);
      await bench.swap(pool, true, ONE / 10n);
      await bench.request("evm_increaseTime", [7_200]);
      await bench.request("evm_mine", []);
      const { fee } = await bench.pools.state(pool);
      fees.add(fee);
      expect(fee).not.toBe(await lastFee());
    }
    expect(fees.size).toBeGreaterThan(2);
  });

  it("writes logs with the first topics that followers know", async () => {
    const { pool, created } = await openPool(2n ** 96n);
    const topics = (logs: ReadonlyArray<Log>) => firstTopics(pool.address, logs);
    const { factory } = bench.contracts.algebra;
    expect(firstTopics(factory, created)).toContain("91ccaa7a");
    expect(topics(await bench.mint(pool, [[-60, 60, ONE]]))).toEqual(["7a53080b"]);
    const swapped = topics(await bench.swap(pool, true, 1_000n));
    expect(swapped).toContain("9443903d");
    expect(swapped).toContain("c42079f9");
  });
});

/** By the periphery's QuoterV2. */
async function published(pool: FamilyPool, zeroForOne: boolean, amountIn: bigint) {
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
  const params = { tokenIn, tokenOut, deployer: zeroAddress, amountIn, limitSqrtPrice: 0n };
  const [amountOut] = await bench.read(bench.contracts.algebra.quoterV2, {
    ...{ abi: algebraQuoterAbi, functionName: "quoteExactInputSingle", args: [params] },
  });
  return amountOut;
}

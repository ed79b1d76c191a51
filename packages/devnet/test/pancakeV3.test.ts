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
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  pancakeV3FactoryAbi,
  pancakeV3SwapAbi,
  ticksPoolAbi,
} from "../src/contracts/familyAbis.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyBench, firstTopics } from "./FamilyBench.ts";
import { expectCases, positionsOf, ticksStateOf, type Vectors } from "./familyVectors.ts";

const vectors = readData<Vectors>("families/pancake-v3.json");
const ONE = 10n ** 18n;

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

/** Makes a pool through the factory, at a price; with the logs that this wrote. */
async function openPool(fee: number, sqrtPriceX96: bigint) {
  const [token0, token1] = await bench.tokens();
  const { factory, poolDeployer, initCodeHash } = bench.contracts.pancakeV3;
  const args = [token0, token1, fee] as const;
  const create = { abi: pancakeV3FactoryAbi, functionName: "createPool", args } as const;
  const created = await bench.send({ to: factory, data: encodeFunctionData(create) });
  const named = encodeAbiParameters(parseAbiParameters("address, address, uint24"), args);
  const address = getCreate2Address({
    ...{ from: poolDeployer, salt: keccak256(named), bytecodeHash: initCodeHash },
  }).toLowerCase() as Address;
  const initialize = {
    abi: ticksPoolAbi,
    functionName: "initialize",
    args: [sqrtPriceX96],
  } as const;
  const initialized = await bench.send({ to: address, data: encodeFunctionData(initialize) });
  const pool: FamilyPool = { family: "pancake-v3", address, id: address, token0, token1, fee };
  return { pool, created: created.logs, initialized: initialized.logs };
}

describe("PancakeSwap V3's real pools, in recorded states", () => {
  for (const [name, recorded] of Object.entries(vectors.pools)) {
    it(`say what was recorded, and quote it: ${name}`, async () => {
      const expected = ticksStateOf(recorded);
      const fee = Number(recorded.state["fee"]);
      const { pool } = await openPool(fee, expected.sqrtPriceX96);
      await bench.mint(pool, positionsOf(expected));
      expect(await bench.pools.state(pool)).toEqual({ ...expected, fee });
      expect(await expectCases(vectors, name, bench.pools, pool)).toBeGreaterThan(0);
    });
  }
});

describe("a pool of PancakeSwap V3", () => {
  it("is where the factory says, and its deployer and creation code put it", async () => {
    const { pool, created } = await openPool(2_500, 2n ** 96n);
    const [event] = parseEventLogs({ abi: pancakeV3FactoryAbi, logs: [...created] });
    expect(event!.args).toMatchObject({ fee: 2_500, tickSpacing: 50 });
    expect(event!.args.pool.toLowerCase()).toBe(pool.address);
    // PancakeSwap's own on every chain.
    expect(bench.contracts.pancakeV3.initCodeHash).toMatch(/^0x6ce8eb47/);
  });

  it("swaps for what it has quoted, across ticks, in all four ways", async () => {
    const { pool } = await openPool(500, 2n ** 96n);
    await bench.mint(pool, [
      [-887_270, 887_270, ONE],
      [-600, 600, 9n * ONE],
    ]);
    for (const zeroForOne of [true, false, true, false])
      for (const kind of ["exactIn", "exactOut"] as const) {
        const amount = ONE / 3n;
        const quoted = await bench.pools.quote(pool, { kind, zeroForOne, amount });
        const logs = await bench.swap(pool, zeroForOne, kind === "exactIn" ? amount : -amount);
        const [event] = parseEventLogs({ abi: pancakeV3SwapAbi, logs: [...logs] });
        const { amount0, amount1 } = event!.args;
        const [paid, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
        expect([paid, got]).toEqual(kind === "exactIn" ? [amount, quoted] : [quoted, amount]);
      }
  });

  it("writes logs with the first topics that followers know", async () => {
    const { pool, initialized } = await openPool(100, 2n ** 96n);
    const topics = (logs: ReadonlyArray<Log>) => firstTopics(pool.address, logs);
    expect(topics(initialized)).toContain("98636036");
    expect(topics(await bench.mint(pool, [[-60, 60, ONE]]))).toEqual(["7a53080b"]);
    // Not that of Uniswap V3: it tells the protocol's fees as well.
    expect(topics(await bench.swap(pool, true, 1_000n))).toEqual(["19b47279"]);
  });
});

import { readData } from "@millrace/testing";
import { encodeFunctionData, type Log, parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devnetRouterAbi, poolManagerAbi } from "../src/contracts/familyAbis.ts";
import {
  DYNAMIC_FEE,
  FEE_HOOK,
  LIQUIDITY_HOOK,
  NATIVE_CURRENCY,
  NO_HOOKS,
  poolIdOf,
  type UniswapV4PoolKey,
} from "../src/contracts/uniswapV4.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyBench, firstTopics } from "./FamilyBench.ts";
import { addsUp, expectCases, positionsOf, ticksStateOf, type Vectors } from "./familyVectors.ts";

const vectors = readData<Vectors>("families/uniswap-v4.json");
const ONE = 10n ** 18n;

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

const callManager = (
  functionName: "initialize" | "setProtocolFee",
  key: UniswapV4PoolKey,
  value: bigint | number,
) =>
  bench.send({
    to: bench.contracts.uniswapV4.poolManager,
    data: encodeFunctionData({ abi: poolManagerAbi, functionName, args: [key, value] as never }),
  });

const described = (key: UniswapV4PoolKey): FamilyPool => ({
  family: "uniswap-v4",
  address: bench.contracts.uniswapV4.poolManager,
  id: poolIdOf(key),
  token0: key.currency0,
  token1: key.currency1,
  ...{ fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks },
});

describe("pools of the real PoolManager, in recorded states", () => {
  for (const [name, recorded] of Object.entries(vectors.pools)) {
    it(`say what was recorded, and quote it: ${name}`, async () => {
      const isNative = name.startsWith("eth");
      const [first, second] = await bench.tokens();
      const expected = ticksStateOf(recorded);
      const { tickSpacing, sqrtPriceX96 } = expected;
      const fee = Number(recorded.state["lpFee"]);
      const currencies = { currency0: isNative ? NATIVE_CURRENCY : first, currency1: second };
      const key = { ...currencies, fee, tickSpacing, hooks: NO_HOOKS };
      await callManager("initialize", key, sqrtPriceX96);
      const protocolFee = Number(recorded.state["protocolFee"]);
      if (protocolFee > 0) await callManager("setProtocolFee", key, protocolFee);
      await bench.mint(described(key), positionsOf(expected));

      const { ticks, ...state } = await bench.pools.state(described(key));
      const { ticks: recordedTicks, ...rest } = expected;
      expect(state).toEqual({ ...rest, fee, protocolFee });
      if (addsUp(expected)) expect(ticks).toEqual(recordedTicks);
      expect(await expectCases(vectors, name, bench.pools, described(key))).toBeGreaterThan(0);
    });
  }
});

/** A pool of native tokens and another, at a price of one. */
async function openPool(named: Partial<UniswapV4PoolKey> = {}): Promise<UniswapV4PoolKey> {
  const [, currency1] = await bench.tokens();
  const key = {
    ...{ currency0: NATIVE_CURRENCY, currency1, fee: 3_000, tickSpacing: 60, hooks: NO_HOOKS },
    ...named,
  };
  await callManager("initialize", key, 2n ** 96n);
  await bench.mint(described(key), [
    [-887_220, 887_220, ONE],
    [-600, 600, 9n * ONE],
  ]);
  return key;
}

/** A positive amount is of exact input. */
const swap = (key: UniswapV4PoolKey, zeroForOne: boolean, amount: bigint) =>
  bench.swap(described(key), zeroForOne, amount);

/** What the only swap of these logs took, as the swapper sees it: what it paid is negative. */
function swapped(logs: ReadonlyArray<Log>) {
  const [event, ...more] = parseEventLogs({
    ...{ abi: poolManagerAbi, logs: [...logs], eventName: "Swap" },
  });
  expect(more).toEqual([]);
  return event!.args;
}

describe("a pool of Uniswap V4", () => {
  it("swaps for what it has quoted, across ticks, in all four ways", async () => {
    const key = await openPool();
    for (const zeroForOne of [true, false, true, false])
      for (const kind of ["exactIn", "exactOut"] as const) {
        const amount = ONE / 3n;
        const quoted = await bench.pools.quote(described(key), { kind, zeroForOne, amount });
        const logs = await swap(key, zeroForOne, kind === "exactIn" ? amount : -amount);
        const { amount0, amount1 } = swapped(logs);
        const [paid, got] = zeroForOne ? [-amount0, amount1] : [-amount1, amount0];
        expect([paid, got]).toEqual(kind === "exactIn" ? [amount, quoted] : [quoted, amount]);
      }
  });

  it("charges the protocol fee of the direction beside its own", async () => {
    const key = await openPool();
    await callManager("setProtocolFee", key, 500 + (1_000 << 12));
    expect(await bench.pools.state(described(key))).toMatchObject({ protocolFee: 4_096_500 });
    // p + lp − p·lp / 10⁶
    expect(swapped(await swap(key, true, ONE)).fee).toBe(3_499);
    expect(swapped(await swap(key, false, ONE)).fee).toBe(3_997);
  });

  it("writes logs with the first topics that followers know", async () => {
    const [, currency1] = await bench.tokens();
    const native = { currency0: NATIVE_CURRENCY, currency1, hooks: NO_HOOKS };
    const key = { ...native, fee: 500, tickSpacing: 10 };
    const topics = (logs: ReadonlyArray<Log>) =>
      firstTopics(bench.contracts.uniswapV4.poolManager, logs);
    const { logs } = await callManager("initialize", key, 2n ** 96n);
    expect(topics(logs)).toEqual(["dd466e67"]);
    expect(topics(await bench.mint(described(key), [[-600, 600, ONE]]))).toEqual(["f208f491"]);
    expect(topics(await swap(key, true, 1_000n))).toEqual(["40e9cecb"]);
    const args = [key, 5n, 7n] as const;
    const donate = encodeFunctionData({ abi: devnetRouterAbi, functionName: "donateV4", args });
    expect(topics(await bench.throughRouter([donate]))).toEqual(["29ef05ca"]);
    const changed = await callManager("setProtocolFee", key, 100);
    expect(topics(changed.logs)).toEqual(["e9c42593"]);
  });

  it("gives a position back, and nothing of another", async () => {
    const key = await openPool();
    const spent = () => bench.balance(key.currency1, bench.contracts.uniswapV4.poolManager);
    const before = await spent();
    await bench.burn(described(key), -600, 9n * ONE);
    expect((before - (await spent())) / 10n ** 15n).toBe(265n);
    expect((await bench.pools.state(described(key))).ticks).toEqual([
      [-887_220, ONE],
      [887_220, -ONE],
    ]);
  });

  it("charges what its hook says, whatever the pool says; one that no swap notices charges its own", async () => {
    const quiet = await openPool({ hooks: LIQUIDITY_HOOK });
    expect(swapped(await swap(quiet, true, ONE)).fee).toBe(3_000);
    const trap = await openPool({ hooks: FEE_HOOK, fee: DYNAMIC_FEE });
    expect((await bench.pools.state(described(trap))).fee).toBe(0);
    expect(swapped(await swap(trap, true, ONE)).fee).toBe(50_000);
  });
});

import { readData } from "@millrace/testing";
import { encodeFunctionData, type Hex, type Log, parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devnetRouterAbi, poolManagerAbi } from "../src/contracts/familyAbis.ts";
import {
  DYNAMIC_FEE,
  FEE_HOOK,
  LIQUIDITY_HOOK,
  NATIVE_CURRENCY,
  NO_HOOKS,
  type PoolKey,
  poolIdOf,
} from "../src/contracts/uniswapV4.ts";
import type { FamilyPool, FamilyQuoteRequest } from "../src/families/FamilyPool.ts";
import { addsUp, FamilyBench, positionsOf, ticksStateOf, type Vectors } from "./FamilyBench.ts";

const { pools, cases } = readData<Vectors>("families/uniswap-v4.json");
const NATIVE_FORTUNE = 2n ** 110n;
const ONE = 10n ** 18n;
/** One inside of the limits of TickMath. */
const PRICE_ENDS = [4295128740n, 1461446703485210103287273052203988822378723970341n];

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

const callManager = (
  functionName: "initialize" | "setProtocolFee",
  key: PoolKey,
  value: bigint | number,
) =>
  bench.send({
    to: bench.contracts.uniswapV4.poolManager,
    data: encodeFunctionData({ abi: poolManagerAbi, functionName, args: [key, value] as never }),
  });

const mintV4 = (key: PoolKey, tickLower: number, tickUpper: number, liquidity: bigint): Hex =>
  encodeFunctionData({
    abi: devnetRouterAbi,
    functionName: "mintV4",
    args: [key, bench.governor, tickLower, tickUpper, liquidity],
  });

const described = (key: PoolKey): FamilyPool => ({
  family: "uniswap-v4",
  address: bench.contracts.uniswapV4.poolManager,
  id: poolIdOf(key),
  token0: key.currency0,
  token1: key.currency1,
  ...{ fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks },
});

describe("pools of the real PoolManager, in recorded states", () => {
  for (const [name, recorded] of Object.entries(pools)) {
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
      const mints = positionsOf(expected).map((position) => mintV4(key, ...position));
      await bench.throughRouter(mints, isNative ? NATIVE_FORTUNE : 0n);

      const { ticks, ...state } = await bench.pools.state(described(key));
      const { ticks: recordedTicks, ...rest } = expected;
      expect(state).toEqual({ ...rest, fee, protocolFee });
      if (addsUp(expected)) expect(ticks).toEqual(recordedTicks);
      for (const [of, kind, indexIn, , amount, answer] of cases) {
        if (of !== name) continue;
        const request: FamilyQuoteRequest = {
          kind: kind === "in" ? "exactIn" : "exactOut",
          ...{ zeroForOne: indexIn === 0, amount: BigInt(amount) },
        };
        const quoted = await bench.pools.quote(described(key), request);
        const due = answer === null ? undefined : BigInt(answer);
        expect({ ...request, quoted }).toEqual({ ...request, quoted: due });
      }
    });
  }
});

/** A pool of native tokens and another, at a price of one. */
async function openPool(named: Partial<PoolKey> = {}): Promise<PoolKey> {
  const [, currency1] = await bench.tokens();
  const key = {
    ...{ currency0: NATIVE_CURRENCY, currency1, fee: 3_000, tickSpacing: 60, hooks: NO_HOOKS },
    ...named,
  };
  await callManager("initialize", key, 2n ** 96n);
  const mints = [mintV4(key, -887_220, 887_220, ONE), mintV4(key, -600, 600, 9n * ONE)];
  await bench.throughRouter(mints, NATIVE_FORTUNE);
  return key;
}

/** A positive amount is of exact input. */
function swap(key: PoolKey, zeroForOne: boolean, amount: bigint): Promise<ReadonlyArray<Log>> {
  const args = [key, zeroForOne, amount, PRICE_ENDS[zeroForOne ? 0 : 1]!] as const;
  const data = encodeFunctionData({ abi: devnetRouterAbi, functionName: "swapV4", args });
  return bench.throughRouter([data], NATIVE_FORTUNE);
}

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
      logs
        .filter(({ address }) => address === bench.contracts.uniswapV4.poolManager)
        .map(({ topics: [first] }) => first!.slice(2, 10));
    const { logs } = await callManager("initialize", key, 2n ** 96n);
    expect(topics(logs)).toEqual(["dd466e67"]);
    const minted = await bench.throughRouter([mintV4(key, -600, 600, ONE)], NATIVE_FORTUNE);
    expect(topics(minted)).toEqual(["f208f491"]);
    expect(topics(await swap(key, true, 1_000n))).toEqual(["40e9cecb"]);
    const args = [key, 5n, 7n] as const;
    const donate = encodeFunctionData({ abi: devnetRouterAbi, functionName: "donateV4", args });
    expect(topics(await bench.throughRouter([donate], NATIVE_FORTUNE))).toEqual(["29ef05ca"]);
    const changed = await callManager("setProtocolFee", key, 100);
    expect(topics(changed.logs)).toEqual(["e9c42593"]);
  });

  it("gives a position back, and nothing of another", async () => {
    const key = await openPool();
    const { router } = bench.contracts;
    const abi = devnetRouterAbi;
    const read = { abi, functionName: "positionsOf", args: [bench.governor] } as const;
    const book = async () =>
      (await bench.read(router, read)).filter(({ pool }) => pool === poolIdOf(key));
    const before = await bench.read(router, read);
    const index = before.findIndex(
      ({ pool, tickLower }) => pool === poolIdOf(key) && tickLower === -600,
    );
    const args = [key, BigInt(index), 9n * ONE] as const;
    await bench.throughRouter([encodeFunctionData({ abi, functionName: "burnV4", args })]);
    expect(await book()).toEqual([
      { pool: poolIdOf(key), tickLower: -887_220, tickUpper: 887_220, liquidity: ONE },
    ]);
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

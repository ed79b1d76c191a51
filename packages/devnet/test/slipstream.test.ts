import { law, RandomSource, readData } from "@millrace/testing";
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  keccak256,
  type Log,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creationCode } from "../src/contracts/artifacts.ts";
import {
  slipstreamFactoryAbi,
  slipstreamFeeModuleAbi,
  slipstreamPoolAbi,
  ticksPoolAbi,
} from "../src/contracts/familyAbis.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyBench, firstTopics, type Position } from "./FamilyBench.ts";
import { addsUp, expectCases, positionsOf, ticksStateOf, type Vectors } from "./familyVectors.ts";
import { rememberTicks } from "./rememberTicks.ts";

const vectors = readData<Vectors>("families/slipstream.json");
const ONE = 10n ** 18n;

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

/** Makes a pool through the factory, at a price; with the logs that this wrote. */
async function openPool(tickSpacing: number, sqrtPriceX96: bigint) {
  const [token0, token1] = await bench.tokens();
  const { factory, initCodeHash } = bench.contracts.slipstream;
  const args = [token0, token1, tickSpacing, sqrtPriceX96] as const;
  const create = { abi: slipstreamFactoryAbi, functionName: "createPool", args } as const;
  const { logs: created } = await bench.send({ to: factory, data: encodeFunctionData(create) });
  const named = encodeAbiParameters(parseAbiParameters("address, address, int24"), [
    ...[token0, token1, tickSpacing],
  ] as never);
  const address = getCreate2Address({
    ...{ from: factory, salt: keccak256(named), bytecodeHash: initCodeHash },
  }).toLowerCase() as Address;
  const pool: FamilyPool = { family: "slipstream", address, id: address, token0, token1 };
  return { pool: { ...pool, tickSpacing }, created };
}

const callModule = (
  call:
    | { readonly functionName: "setCustomFee"; readonly args: readonly [Address, number] }
    | { readonly functionName: "setFeeCap"; readonly args: readonly [Address, number] }
    | { readonly functionName: "setScalingFactor"; readonly args: readonly [Address, bigint] }
    | { readonly functionName: "registerDiscounted"; readonly args: readonly [Address, number] },
) =>
  bench.send({
    to: bench.contracts.slipstream.swapFeeModule,
    data: encodeFunctionData({ abi: slipstreamFeeModuleAbi, ...call }),
  });

const setModule = (module: Address) =>
  bench.send({
    to: bench.contracts.slipstream.factory,
    data: encodeFunctionData({
      ...{ abi: slipstreamFactoryAbi, functionName: "setSwapFeeModule", args: [module] },
    }),
  });

const feeOf = async (pool: FamilyPool) => (await bench.pools.state(pool)).fee;

describe("pools with Slipstream's arithmetic, in recorded states", () => {
  for (const [name, recorded] of Object.entries(vectors.pools)) {
    it(`say what was recorded, the fee worked out, and quote it: ${name}`, async () => {
      const { state } = recorded;
      const inputs = state["feeInputs"] as unknown as FeeInputs | undefined;
      const expected = ticksStateOf(recorded);
      const { pool } = await openPool(expected.tickSpacing, expected.sqrtPriceX96);
      await bench.mint(pool, positionsOf(expected));
      if (inputs?.tickCumulatives === undefined) {
        const fee = Number(inputs?.customFee ?? state["fee"]);
        await callModule({ functionName: "setCustomFee", args: [pool.address, fee] });
      } else {
        const { address } = pool;
        const { baseFee, feeCap, scalingFactor, observationCardinality } = inputs;
        await callModule({ functionName: "setCustomFee", args: [address, Number(baseFee)] });
        await callModule({ functionName: "setFeeCap", args: [address, Number(feeCap)] });
        const scale = [address, BigInt(scalingFactor)] as const;
        await callModule({ functionName: "setScalingFactor", args: scale });
        const [then, now] = inputs.tickCumulatives.map(BigInt) as [bigint, bigint];
        await rememberTicks(bench, pool, Number(observationCardinality), [then, now]);
        const observe = { abi: slipstreamPoolAbi, functionName: "observe" } as const;
        const [told] = await bench.read(address, { ...observe, args: [[600, 0]] });
        expect(told).toEqual([then, now]);
      }
      const { ticks, ...rest } = await bench.pools.state(pool);
      const { ticks: recordedTicks, ...recordedRest } = expected;
      expect(rest).toEqual({ ...recordedRest, fee: Number(state["fee"]) });
      if (addsUp(expected)) expect(ticks).toEqual(recordedTicks);
      expect(await expectCases(vectors, name, bench.pools, pool)).toBeGreaterThan(0);
    });
  }
});

interface FeeInputs {
  readonly baseFee: string;
  readonly feeCap: string;
  readonly scalingFactor: string;
  readonly observationCardinality: string;
  readonly tickCumulatives?: readonly [string, string];
  readonly customFee?: string;
}

/** A pool of ours and one of Uniswap V3, of the same tokens, spacing and fee. */
async function openTwins(): Promise<readonly [FamilyPool, FamilyPool]> {
  const { pool: ours } = await openPool(200, 2n ** 96n);
  await callModule({ functionName: "setCustomFee", args: [ours.address, 10_000] });
  const created = await bench.send({ data: creationCode("v3Factory") });
  const abi = parseAbi([
    "function createPool(address, address, uint24) returns (address)",
    "function getPool(address, address, uint24) view returns (address)",
  ]);
  const args = [ours.token0, ours.token1, 10_000] as const;
  const create = encodeFunctionData({ abi, functionName: "createPool", args });
  await bench.send({ to: created.contractAddress!, data: create });
  const named = { abi, functionName: "getPool", args } as const;
  const address = (await bench.read(created.contractAddress!, named)).toLowerCase() as Address;
  const initialize = { functionName: "initialize", args: [2n ** 96n] } as const;
  await bench.send({
    ...{ to: address, data: encodeFunctionData({ abi: ticksPoolAbi, ...initialize }) },
  });
  const twins = [ours, { ...ours, address, id: address }] as const;
  for (const twin of twins) await bench.mint(twin, [[-887_200, 887_200, ONE]]);
  return twins;
}

/** With liquidity over everything and around the price, which is one. */
async function openFilled(tickSpacing: number) {
  const { pool } = await openPool(tickSpacing, 2n ** 96n);
  const end = 887_272 - (887_272 % tickSpacing);
  await bench.mint(pool, [
    [-end, end, ONE],
    [-600, 600, 9n * ONE],
  ]);
  return pool;
}

describe("a pool of Slipstream's kind", () => {
  it("is where factory and clone put it, and tells six fields of itself and ten of a tick", async () => {
    const { pool, created } = await openPool(100, 2n ** 96n);
    const [event] = parseEventLogs({ abi: slipstreamFactoryAbi, logs: [...created] });
    expect((event!.args as { readonly pool: Address }).pool.toLowerCase()).toBe(pool.address);
    const bytesOf = async (name: "slot0" | "ticks") => {
      const call = {
        abi: slipstreamPoolAbi,
        functionName: name,
        args: name === "ticks" ? [0] : [],
      };
      const data = encodeFunctionData(call as never);
      const answer = await bench.request("eth_call", [{ to: pool.address, data }, "latest"]);
      return (String(answer).length - 2) / 64;
    };
    expect([await bytesOf("slot0"), await bytesOf("ticks")]).toEqual([6, 10]);
  });

  it("swaps for what it has quoted, across ticks, in all four ways", async () => {
    const pool = await openFilled(50);
    for (const zeroForOne of [true, false, true, false])
      for (const kind of ["exactIn", "exactOut"] as const) {
        const amount = ONE / 3n;
        const quoted = await bench.pools.quote(pool, { kind, zeroForOne, amount });
        const logs = await bench.swap(pool, zeroForOne, kind === "exactIn" ? amount : -amount);
        const swaps = parseEventLogs({ abi: ticksPoolAbi, eventName: "Swap", logs: [...logs] });
        const { amount0, amount1 } = swaps[0]!.args;
        const [paid, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0];
        expect([paid, got]).toEqual(kind === "exactIn" ? [amount, quoted] : [quoted, amount]);
      }
  });

  it("charges more after a jump and less with every second after it, without a log", async () => {
    const pool = await openFilled(100);
    const grow = { functionName: "increaseObservationCardinalityNext", args: [310] } as const;
    const data = encodeFunctionData({ abi: slipstreamPoolAbi, ...grow });
    await bench.send({ to: pool.address, data });
    await bench.request("evm_increaseTime", [300]);
    await bench.swap(pool, true, 1_000_000n);
    // A price for less than ten minutes has no average.
    expect(await feeOf(pool)).toBe(500);
    await bench.request("evm_increaseTime", [400]);
    await bench.swap(pool, true, ONE / 10n);
    const jumped = await feeOf(pool);
    expect(jumped).toBeGreaterThan(1_000);
    let last = jumped;
    for (let minutes = 0; minutes < 9; minutes++) {
      await bench.request("evm_increaseTime", [60]);
      await bench.request("evm_mine", []);
      const fee = await feeOf(pool);
      expect(fee).toBeLessThan(last);
      last = fee;
    }
    await bench.request("evm_increaseTime", [600]);
    await bench.request("evm_mine", []);
    expect(await feeOf(pool)).toBe(500);
  });

  it("has the fee of its spacing while few observations are kept, 420 for none, and discounts", async () => {
    const pool = await openFilled(200);
    await bench.request("evm_increaseTime", [1_000]);
    await bench.swap(pool, true, ONE);
    expect(await feeOf(pool)).toBe(3_000);
    await callModule({ functionName: "setCustomFee", args: [pool.address, 420] });
    expect(await feeOf(pool)).toBe(0);
    await callModule({ functionName: "setCustomFee", args: [pool.address, 1_001] });
    await callModule({ functionName: "registerDiscounted", args: [bench.governor, 250_000] });
    const ask = encodeFunctionData({ abi: ticksPoolAbi, functionName: "fee" });
    const call = { from: bench.governor, to: pool.address, data: ask };
    expect(Number(await bench.request("eth_call", [call, "latest"]))).toBe(750);
    await callModule({ functionName: "registerDiscounted", args: [bench.governor, 0] });
    expect(await feeOf(pool)).toBe(1_001);
  });

  it("takes the fee of its spacing where a module asks too much, burns its gas or says nothing", async () => {
    const pool = await openFilled(100);
    const { swapFeeModule, factory } = bench.contracts.slipstream;
    const module: Address = "0x00000000000000000000000000000000000fee00";
    const saying = (code: Hex) => bench.request("anvil_setCode", [module, code]);
    // PUSH3 value, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
    const answer = (pips: number): Hex => `0x62${pips.toString(16).padStart(6, "0")}5f5260205ff3`;
    await saying(answer(7_777));
    const { logs } = await setModule(module);
    expect(firstTopics(factory, logs)).toEqual(["df24ed64"]);
    expect(await feeOf(pool)).toBe(7_777);
    for (const [code, fee] of [
      [answer(100_000), 100_000],
      [answer(100_001), 500],
      // JUMPDEST, PUSH0, JUMP: for ever.
      ["0x5b5f56", 500],
      ["0x5f5ffd", 500],
      ["0x00", 500],
    ] as const) {
      await saying(code);
      expect(await feeOf(pool)).toBe(fee);
    }
    await bench.swap(pool, true, 1_000n);
    await setModule(swapFeeModule);
  });

  it("writes logs with the first topics that followers know", async () => {
    const { pool, created } = await openPool(1, 2n ** 96n);
    const topics = (logs: ReadonlyArray<Log>) => firstTopics(pool.address, logs);
    expect(topics(created)).toEqual(["98636036"]);
    expect(firstTopics(bench.contracts.slipstream.factory, created)).toEqual(["ab0d57f0"]);
    expect(topics(await bench.mint(pool, [[-60, 60, ONE]]))).toEqual(["7a53080b"]);
    expect(topics(await bench.swap(pool, true, 1_000n))).toEqual(["c42079f9"]);
    expect(topics(await bench.burn(pool, -60, ONE))).toEqual(["0c396cd9", "70935338"]);
  });

  it("goes to the ends of all prices as Uniswap V3's real pool does, and comes back", async () => {
    const [ours, real] = await openTwins();
    for (const zeroForOne of [true, false, true]) {
      const amount = -(2n ** 126n);
      const prices = [];
      for (const pool of [ours, real]) {
        const logs = [...(await bench.swap(pool, zeroForOne, amount))];
        const [event] = parseEventLogs({ abi: ticksPoolAbi, eventName: "Swap", logs });
        prices.push(event!.args);
      }
      expect(prices[0]).toEqual(prices[1]);
      expect(Math.abs(prices[0]!.tick)).toBeGreaterThan(887_200);
    }
  });

  it("moves as Uniswap V3's real pool does, log for log, whatever is done to both", async () => {
    const { cases, seed } = law("Slipstream and Uniswap V3", 40);
    const random = new RandomSource(seed);
    const [ours, real] = await openTwins();
    const ticksOf = (): Position => {
      const lower = random.between(-40, 39) * 200;
      return [lower, lower + random.between(1, 20) * 200, random.bigint(10n * ONE) + 1n];
    };
    const held: Array<Position> = [];
    for (let step = 0; step < cases; step++) {
      const kind = random.integer(4);
      await bench.request("evm_increaseTime", [random.integer(100)]);
      let act: (pool: FamilyPool) => Promise<ReadonlyArray<Log>>;
      const position = ticksOf();
      const isNew = !held.some(([lower]) => lower === position[0]);
      if (kind === 0 && isNew) {
        held.push(position);
        act = (pool) => bench.mint(pool, [position]);
      } else if (kind === 1 && held.length > 0) {
        const [[lower, , liquidity]] = held.splice(random.integer(held.length), 1) as [Position];
        act = (pool) => bench.burn(pool, lower, liquidity);
      } else {
        const size = random.bigint(10n ** BigInt(random.between(1, 18))) + 1n;
        const amount = random.chance(0.5) ? size : -size;
        const zeroForOne = random.chance(0.5);
        act = (pool) => bench.swap(pool, zeroForOne, amount);
      }
      const written = async (pool: FamilyPool) => {
        const logs = await act(pool).catch((error) => String(error));
        if (typeof logs === "string") return logs;
        return (
          parseEventLogs({ abi: ticksPoolAbi, logs: [...logs] })
            // What positions have earned differs by the gauge's part.
            .filter(({ eventName }) => eventName !== "Collect")
            .map(({ eventName, args }) => ({ eventName, args }))
        );
      };
      expect(await written(ours)).toEqual(await written(real));
    }
    const { fee: _, ...state } = await bench.pools.state(ours);
    expect(await bench.pools.state(real)).toMatchObject(state);
  });

  it("keeps what each position earned, and gives it back with the liquidity", async () => {
    const pool = await openFilled(50);
    const balance = async (token: Address) => bench.balance(token, pool.address);
    for (const zeroForOne of [true, false]) await bench.swap(pool, zeroForOne, ONE / 5n);
    const end = 887_272 - (887_272 % 50);
    await bench.burn(pool, -600, 9n * ONE);
    await bench.burn(pool, -end, ONE);
    const { ticks, liquidity } = await bench.pools.state(pool);
    expect({ ticks, liquidity }).toEqual({ ticks: [], liquidity: 0n });
    // A tenth of the fees is the gauge's; of the rest some units stay.
    for (const token of [pool.token0, pool.token1]) {
      const left = Number(await balance(token));
      expect(Math.abs(left - (0.1 * 0.0005 * Number(ONE)) / 5)).toBeLessThan(20);
    }
  });
});

import { law, readData } from "@millrace/testing";
import {
  type Address,
  encodeFunctionData,
  encodePacked,
  getCreate2Address,
  keccak256,
  type Log,
  parseAbi,
  parseEventLogs,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  aerodromeFactoryAbi,
  aerodromePoolAbi,
  devnetRouterAbi,
} from "../src/contracts/familyAbis.ts";
import type { FamilyPool } from "../src/families/FamilyPool.ts";
import { FamilyBench, firstTopics } from "./FamilyBench.ts";
import { expectCases, type Vectors } from "./familyVectors.ts";

const vectors = readData<Vectors>("families/aerodrome-stable.json");
const ONE = 10n ** 18n;
const tokenAbi = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

interface SolidlyPool extends FamilyPool {
  readonly family: "aerodrome-stable" | "aerodrome-volatile";
}

const pay = (token: Address, to: Address, amount: bigint) =>
  bench.send({
    to: token,
    data: encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, amount] }),
  });

const callPool = (
  { address }: FamilyPool,
  call:
    | { readonly functionName: "sync" }
    | { readonly functionName: "mint" | "burn"; readonly args: readonly [Address] },
) => bench.send({ to: address, data: encodeFunctionData({ abi: aerodromePoolAbi, ...call }) });

const callFactory = (
  call:
    | { readonly functionName: "createPool"; readonly args: readonly [Address, Address, boolean] }
    | { readonly functionName: "setCustomFee"; readonly args: readonly [Address, bigint] }
    | { readonly functionName: "setFee"; readonly args: readonly [boolean, bigint] }
    | { readonly functionName: "setPauseState"; readonly args: readonly [boolean] },
) =>
  bench.send({
    to: bench.contracts.aerodrome.factory,
    data: encodeFunctionData({ abi: aerodromeFactoryAbi, ...call }),
  });

/** With shares for equal deposits, then with these reserves; and what its creation wrote. */
async function openPool(
  stable: boolean,
  [reserve0, reserve1]: readonly [bigint, bigint],
  [decimals0, decimals1]: readonly [number, number] = [18, 18],
) {
  const [token0, token1] = await bench.tokens(decimals0, decimals1);
  const args = [token0, token1, stable] as const;
  const { logs: created } = await callFactory({ functionName: "createPool", args });
  const { factory, initCodeHash } = bench.contracts.aerodrome;
  const salt = keccak256(encodePacked(["address", "address", "bool"], args));
  const address = getCreate2Address({
    ...{ from: factory, salt, bytecodeHash: initCodeHash },
  }).toLowerCase() as Address;
  const family = stable ? "aerodrome-stable" : "aerodrome-volatile";
  const pool: SolidlyPool = { family, address, id: address, token0, token1 };
  const scale0 = 10n ** BigInt(decimals0);
  const scale1 = 10n ** BigInt(decimals1);
  const coarse = scale0 < scale1 ? scale0 : scale1;
  const [whole0, whole1] = [(reserve0 * coarse) / scale0, (reserve1 * coarse) / scale1];
  const whole = whole0 < whole1 ? whole0 : whole1;
  const [first0, first1] = [(whole * scale0) / coarse, (whole * scale1) / coarse];
  await pay(token0, address, first0);
  await pay(token1, address, first1);
  const { logs: minted } = await callPool(pool, { functionName: "mint", args: [bench.governor] });
  await pay(token0, address, reserve0 - first0);
  await pay(token1, address, reserve1 - first1);
  await callPool(pool, { functionName: "sync" });
  return { pool, created, minted };
}

/** Sells an amount for what the pool quotes. */
const sell = ({ address }: FamilyPool, token: Address, amount: bigint) =>
  bench.throughRouter([
    encodeFunctionData({
      abi: devnetRouterAbi,
      functionName: "swapSolidly",
      args: [address, token, amount],
    }),
  ]);

/** Whether a pool that was paid gives this much in the newest block. */
async function gives({ address }: FamilyPool, zeroForOne: boolean, amountOut: bigint) {
  const [amount0, amount1] = zeroForOne ? [0n, amountOut] : [amountOut, 0n];
  const args = [amount0!, amount1!, bench.governor, "0x"] as const;
  const data = encodeFunctionData({ abi: aerodromePoolAbi, functionName: "swap", args });
  const call = [{ from: bench.governor, to: address, data }, "latest"];
  return bench.request("eth_call", call).then(
    () => true,
    (error) => {
      if (/revert/.test(String(error))) return false;
      throw error;
    },
  );
}

describe("stable pools with Aerodrome's arithmetic, in recorded states", () => {
  for (const [name, { state }] of Object.entries(vectors.pools)) {
    it(`quote what was recorded, and swap for it and no unit more: ${name}`, async () => {
      const reserves = [BigInt(state["reserve0"]!), BigInt(state["reserve1"]!)] as const;
      const decimals = [Number(state["decimals0"]), Number(state["decimals1"])] as const;
      const fee = Number(state["fee"]);
      const { pool } = await openPool(true, reserves, decimals);
      const custom = { functionName: "setCustomFee", args: [pool.address, BigInt(fee)] } as const;
      if (fee !== 5) await callFactory(custom);
      expect(await bench.pools.state(pool)).toEqual({
        ...{ reserve0: reserves[0], reserve1: reserves[1], fee, isPaused: false },
        ...{ decimals0: decimals[0], decimals1: decimals[1] },
      });
      expect(await expectCases(vectors, name, bench.pools, pool)).toBeGreaterThan(0);
      const { cases, seed } = law(`recorded swaps of ${name}`, 3);
      const answered = vectors.cases.filter(
        ([of, , , , , out]) => of === name && out !== null && out !== "0",
      );
      for (let tried = 0; tried < cases; tried++) {
        const [, , indexIn, , amount, out] = answered[(seed + tried) % answered.length]!;
        const before = await bench.request("evm_snapshot", []);
        await pay(indexIn === 0 ? pool.token0 : pool.token1, pool.address, BigInt(amount));
        expect(await gives(pool, indexIn === 0, BigInt(out!) + 1n)).toBe(false);
        expect(await gives(pool, indexIn === 0, BigInt(out!))).toBe(true);
        await bench.revert(before);
      }
    });
  }
});

describe("a pool of Aerodrome's kind", () => {
  it("is where factory and clone put it, under both names of the factory's", async () => {
    const { pool, created } = await openPool(false, [ONE, 3n * ONE]);
    const [event] = parseEventLogs({ abi: aerodromeFactoryAbi, logs: [...created] });
    expect(event!.args).toMatchObject({ stable: false });
    expect((event!.args as { readonly pool: Address }).pool.toLowerCase()).toBe(pool.address);
  });

  it("gives of a volatile pair what its quote says and no unit more, the fee taken first", async () => {
    const { pool } = await openPool(false, [5n * ONE, 7n * ONE]);
    const amount = 1_234_567_890_123_457n;
    const kept = amount - (amount * 30n) / 10_000n;
    const out = (kept * 7n * ONE) / (5n * ONE + kept);
    const request = { kind: "exactIn", zeroForOne: true, amount } as const;
    expect(await bench.pools.quote(pool, request)).toBe(out);
    await pay(pool.token0, pool.address, amount);
    expect(await gives(pool, true, out + 1n)).toBe(false);
    expect(await gives(pool, true, out)).toBe(true);
  });

  it("tells its reserves after the fees have left", async () => {
    const { pool } = await openPool(true, [5_000n * ONE, 5_000n * ONE]);
    const quoted = await bench.pools.quote(pool, {
      ...{ kind: "exactIn", zeroForOne: false, amount: 10n * ONE },
    });
    const logs = [...(await sell(pool, pool.token1, 10n * ONE))];
    const events = parseEventLogs({ abi: aerodromePoolAbi, logs });
    const argsOf = (name: string) => events.find(({ eventName }) => eventName === name)!.args;
    expect(argsOf("Fees")).toMatchObject({ amount0: 0n, amount1: (10n * ONE * 5n) / 10_000n });
    expect(argsOf("Sync")).toEqual({
      reserve0: 5_000n * ONE - quoted!,
      reserve1: 5_010n * ONE - (10n * ONE * 5n) / 10_000n,
    });
    expect(argsOf("Swap")).toMatchObject({ amount1In: 10n * ONE, amount0Out: quoted! });
  });

  it("has a fee that the factory changes, 420 for none, and stops while that is paused", async () => {
    const { pool } = await openPool(false, [5n * ONE, 7n * ONE]);
    const feeNow = async () => (await bench.pools.state(pool)).fee;
    const args = (fee: bigint) => [pool.address, fee] as const;
    expect(await feeNow()).toBe(30);
    await callFactory({ functionName: "setFee", args: [false, 31n] });
    expect(await feeNow()).toBe(31);
    await callFactory({ functionName: "setFee", args: [false, 30n] });
    await callFactory({ functionName: "setCustomFee", args: args(300n) });
    expect(await feeNow()).toBe(300);
    await callFactory({ functionName: "setCustomFee", args: args(420n) });
    expect(await feeNow()).toBe(0);
    const request = { kind: "exactIn", zeroForOne: true, amount: 1_000n } as const;
    expect(await bench.pools.quote(pool, request)).toBe(1_399n);
    await expect(callFactory({ functionName: "setCustomFee", args: args(301n) })).rejects.toThrow(
      /revert/,
    );
    await callFactory({ functionName: "setPauseState", args: [true] });
    try {
      expect((await bench.pools.state(pool)).isPaused).toBe(true);
      await expect(sell(pool, pool.token0, 1_000n)).rejects.toThrow(/revert/);
    } finally {
      await callFactory({ functionName: "setPauseState", args: [false] });
    }
    await sell(pool, pool.token0, 1_000n);
  });

  it("writes logs with the first topics that followers know", async () => {
    const { pool, created, minted } = await openPool(true, [ONE, ONE]);
    const { factory } = bench.contracts.aerodrome;
    const topics = (logs: ReadonlyArray<Log>) => firstTopics(pool.address, logs);
    expect(firstTopics(factory, created)).toEqual(["2128d88d"]);
    expect(topics(minted)).toEqual(["ddf252ad", "ddf252ad", "cf2aa508", "4c209b5f"]);
    expect(topics(await sell(pool, pool.token0, 1_000_000n))).toEqual([
      ...["112c2569", "cf2aa508", "b3e27736"],
    ]);
    const fee = await callFactory({ functionName: "setCustomFee", args: [pool.address, 7n] });
    expect(firstTopics(factory, fee.logs)).toEqual(["ae468ce5"]);
    const paused = await callFactory({ functionName: "setPauseState", args: [false] });
    expect(firstTopics(factory, paused.logs)).toEqual(["0d76538e"]);
  });

  it("gives back all but the first thousand shares, and keeps the fees for those who had them", async () => {
    const { pool } = await openPool(true, [ONE, ONE]);
    await sell(pool, pool.token0, ONE / 10n);
    await pay(pool.address, pool.address, ONE - 1_000n);
    await callPool(pool, { functionName: "burn", args: [bench.governor] });
    const { reserve0, reserve1 } = await bench.pools.state(pool);
    expect([reserve0 > 0n, reserve0 < 2_000n, reserve1 > 0n, reserve1 < 2_000n]).toEqual(
      Array.from({ length: 4 }, () => true),
    );
    const claim = encodeFunctionData({ abi: aerodromePoolAbi, functionName: "claimFees" });
    const { logs } = await bench.send({ to: pool.address, data: claim });
    const paid = BigInt(logs.find(({ address }) => address === pool.token0)!.data);
    // But for what the first thousand shares and a division keep.
    expect(Number(paid) / ((Number(ONE) / 10) * 0.0005)).toBeCloseTo(1, 9);
  });
});

import { readData } from "@millrace/testing";
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { creationCode } from "../src/contracts/artifacts.ts";
import {
  curveCryptoAbi,
  curveCryptoFactoryAbi,
  curveNgFactoryAbi,
  curveNgPoolAbi,
  curveStableAbi,
  curveTricryptoAbi,
  curveTwocryptoAbi,
} from "../src/contracts/curveAbis.ts";
import { deployData } from "../src/contracts/Deployment.ts";
import { FamilyBench } from "./FamilyBench.ts";

// Contracts of our own with Curve's interfaces, put into recorded states, give what was recorded.
// Those of the old order of fee are compared beside the executor: see `curvePools.test.ts`.

type Numbers = ReadonlyArray<string>;

interface Vectors<State> {
  readonly pools: Readonly<Record<string, RecordedPool<State>>>;
  readonly cases: ReadonlyArray<
    readonly [pool: string, kind: "in", i: number, j: number, dx: string, dy: string | null]
  >;
}

interface RecordedPool<State> {
  readonly state: State;
  readonly exchangeReverts?: ReadonlyArray<readonly [i: string, j: string, dx: string]>;
  readonly after?: After;
}

interface After {
  readonly i: string;
  readonly dx: string;
  readonly balances: Numbers;
  readonly D: string;
  readonly priceScale: string;
}

interface NgState {
  readonly balances: Numbers;
  readonly rates: Numbers;
  readonly A: string;
  readonly fee: string;
  readonly offpegFeeMultiplier?: string;
}

interface CryptoState {
  readonly kind: "tri" | "triNG" | "twoNG";
  readonly balances: Numbers;
  readonly priceScale: Numbers;
  readonly precisions: Numbers;
  readonly A: string;
  readonly gamma: string;
  readonly D: string;
  readonly midFee: string;
  readonly outFee: string;
  readonly feeGamma: string;
}

const tokenAbi = parseAbi([
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);
const A_PRECISION = 100n;
const ORACLE = 1;
const SELECTOR: Hex = "0x679aefce";
const NO_SELECTOR: Hex = "0x00000000";
const FORTUNE = 2n ** 120n;
const FIELDS = 64;

let bench: FamilyBench;
beforeAll(async () => {
  bench = await FamilyBench.open();
});
afterAll(() => bench?.close());

/** A coin of the sender's that any of these pools may take. */
async function coinOf(decimals: number): Promise<Address> {
  const data = deployData(creationCode("erc20"), "string, string, uint8", ["T", "T", decimals]);
  const { contractAddress } = await bench.send({ data });
  return contractAddress!.toLowerCase() as Address;
}

async function provide(coins: ReadonlyArray<Address>, pool: Address): Promise<void> {
  for (const to of coins)
    for (const call of [
      { functionName: "mint", args: [bench.governor, FORTUNE] },
      { functionName: "approve", args: [pool, FORTUNE] },
    ] as const)
      await bench.send({ to, data: encodeFunctionData({ abi: tokenAbi, ...call }) });
}

/** Decimals of a coin by its rate; undefined where no coin has it without an oracle. */
function decimalsOf(rate: bigint): number | undefined {
  const digits = String(rate);
  return /^10*$/.test(digits) ? 36 - (digits.length - 1) : undefined;
}

/** Code that answers this number, whatever is asked. */
const answering = (value: bigint): Hex => `0x7f${value.toString(16).padStart(64, "0")}5f5260205ff3`;

async function ngPool({ balances, rates, A, fee, offpegFeeMultiplier = "0" }: NgState) {
  const decimals = rates.map((rate) => decimalsOf(BigInt(rate)));
  const coins: Address[] = [];
  const oracles: Address[] = [];
  for (const [at, each] of decimals.entries()) {
    coins.push(await coinOf(each ?? 18));
    const oracle: Address = `0x${"0c".repeat(18)}${at.toString(16).padStart(4, "0")}`;
    oracles.push(oracle);
    await bench.request("anvil_setCode", [oracle, answering(BigInt(rates[at]!))]);
  }
  const factory = bench.contracts.curve.stableNgFactory;
  const made = {
    abi: curveNgFactoryAbi,
    functionName: "deploy_plain_pool",
    args: [
      "NG",
      "NG",
      coins,
      BigInt(A) / A_PRECISION,
      BigInt(fee),
      BigInt(offpegFeeMultiplier),
      decimals.map((each) => (each === undefined ? ORACLE : 0)),
      decimals.map((each) => (each === undefined ? SELECTOR : NO_SELECTOR)),
      oracles,
    ],
  } as const;
  await bench.send({ to: factory, data: encodeFunctionData(made) });
  const found = parseAbi([
    "function find_pool_for_coins(address, address, uint256) view returns (address)",
  ]);
  const pool = await bench.read(factory, {
    ...{ abi: found, functionName: "find_pool_for_coins", args: [coins[0]!, coins[1]!, 0n] },
  });
  await provide(coins, pool);
  const args = [balances.map(BigInt), 0n] as const;
  const first = { abi: curveNgPoolAbi, functionName: "add_liquidity", args } as const;
  await bench.send({ to: pool, data: encodeFunctionData(first) });
  return pool;
}

/** A number that a pool tells; undefined where it reverts. */
async function ask(pool: Address, call: Parameters<FamilyBench["read"]>[1]): Promise<unknown> {
  try {
    return await bench.read(pool, call as never);
  } catch {
    return undefined;
  }
}

/** What an exchange itself would give; undefined where it reverts. */
async function exchanged(
  pool: Address,
  abi: typeof curveNgExchange | typeof curveCryptoAbi,
  args: ReadonlyArray<bigint>,
) {
  const data = encodeFunctionData({ abi, functionName: "exchange", args } as never);
  const call = { from: bench.governor, to: pool, data, gas: "0x1312d00" };
  try {
    return BigInt((await bench.request("eth_call", [call, "latest"])) as Hex);
  } catch {
    return undefined;
  }
}
const curveNgExchange = parseAbi([
  "function exchange(int128 i, int128 j, uint256 dx, uint256 min_dy) returns (uint256)",
]);

describe("a contract that stands for StableSwap-NG", () => {
  const { pools, cases } = readData<Vectors<NgState>>("families/curve-stable-ng.json");

  it.each(Object.keys(pools))("exchanges to the wei what was recorded of %s", async (name) => {
    const pool = await ngPool(pools[name]!.state);
    const own = cases.filter(([of]) => of === name);
    expect(own.length).toBeGreaterThan(0);
    for (const [, , i, j, dx, dy] of own) {
      const told = `${i} to ${j}: ${dx}`;
      const args = [BigInt(i), BigInt(j), BigInt(dx)] as const;
      const asked = { abi: curveStableAbi, functionName: "get_dy", args } as const;
      expect(await ask(pool, asked), told).toBe(dy === null ? undefined : BigInt(dy));
      if (dy === null) continue;
      expect(await exchanged(pool, curveNgExchange, [...args, 0n]), told).toBe(BigInt(dy));
    }
  });
});

async function cryptoPool(state: CryptoState): Promise<Address> {
  const { precisions, balances, priceScale, A, gamma, midFee, outFee, feeGamma } = state;
  const coins: Address[] = [];
  for (const each of precisions) coins.push(await coinOf(18 - (each.length - 1)));
  const { twocryptoFactory, tricryptoFactory } = bench.contracts.curve;
  const factory = coins.length === 2 ? twocryptoFactory : tricryptoFactory;
  const terms = {
    ...{ midFee: BigInt(midFee), outFee: BigInt(outFee), feeGamma: BigInt(feeGamma) },
    ...{ allowedExtraProfit: 10n ** 10n, adjustmentStep: 10n ** 14n, maTime: 600n },
  };
  const args = ["", coins, [BigInt(A), BigInt(gamma)], terms, priceScale.map(BigInt)] as const;
  const made = { abi: curveCryptoFactoryAbi, functionName: "deploy", args } as const;
  const call = { from: bench.governor, to: factory, data: encodeFunctionData(made) };
  const pool: Address = `0x${((await bench.request("eth_call", [call, "latest"])) as Hex).slice(26)}`;
  await bench.send({ to: factory, data: call.data });
  await provide(coins, pool);
  const [first, second, third] = balances.map(BigInt) as [bigint, bigint, bigint?];
  const functionName = "add_liquidity";
  const data =
    third === undefined
      ? encodeFunctionData({ abi: curveTwocryptoAbi, functionName, args: [[first, second], 0n] })
      : encodeFunctionData({
          ...{ abi: curveTricryptoAbi, functionName, args: [[first, second, third], 0n] },
        });
  await bench.send({ to: pool, data });
  await setD(pool, BigInt(state.D));
  return pool;
}

/** D as it was recorded: a pool's own depends on what it has been through. */
async function setD(pool: Address, d: bigint): Promise<void> {
  const read = () => bench.read(pool, { abi: curveCryptoAbi, functionName: "D" });
  const now = await read();
  for (let slot = 0; slot < FIELDS; slot++) {
    const at = numberToHex(slot, { size: 32 });
    const held = await bench.request("eth_getStorageAt", [pool, numberToHex(slot), "latest"]);
    if (BigInt(held as Hex) !== now) continue;
    await bench.request("anvil_setStorageAt", [pool, at, numberToHex(d, { size: 32 })]);
    if ((await read()) === d) return;
    await bench.request("anvil_setStorageAt", [pool, at, held]);
  }
  throw new Error("D is nowhere");
}

describe("a contract that stands for the new crypto pools", () => {
  const { pools, cases } = readData<Vectors<CryptoState>>("families/curve-crypto.json");
  const names = Object.keys(pools).filter((name) => pools[name]!.state.kind !== "tri");

  it.each(names)("quotes, and exchanges, to the wei what was recorded of %s", async (name) => {
    const { state, exchangeReverts = [], after } = pools[name]!;
    const pool = await cryptoPool(state);
    const own = cases.filter(([of]) => of === name);
    expect(own.length).toBeGreaterThan(0);
    for (const [, , i, j, dx, dy] of own) {
      const told = `${i} to ${j}: ${dx}`;
      const args = [BigInt(i), BigInt(j), BigInt(dx)] as const;
      const asked = { abi: curveCryptoAbi, functionName: "get_dy", args } as const;
      expect(await ask(pool, asked), told).toBe(dy === null ? undefined : BigInt(dy));
      // Of the others nobody has recorded the shares, on which it depends whether a pool loses.
      if (after === undefined || dy === null) continue;
      const isDust = exchangeReverts.some((each) => each.join() === [i, j, dx].join());
      const due = isDust ? undefined : BigInt(dy);
      expect(await exchanged(pool, curveCryptoAbi, [...args, 0n]), told).toBe(due);
    }
    if (after !== undefined) await expectAfter(pool, state, after);
  });

  /** An exchange leaves balances as recorded, and D where the price scale was not moved. */
  async function expectAfter(pool: Address, state: CryptoState, after: After): Promise<void> {
    const i = BigInt(after.i);
    const args = [i, 1n - i, BigInt(after.dx), 0n] as const;
    const data = encodeFunctionData({ abi: curveCryptoAbi, functionName: "exchange", args });
    await bench.send({ to: pool, data });
    const abi = curveCryptoAbi;
    const balances = [];
    for (const at of [0n, 1n])
      balances.push(await bench.read(pool, { abi, functionName: "balances", args: [at] }));
    expect(balances).toEqual(after.balances.map(BigInt));
    if (after.priceScale !== state.priceScale[0]) return;
    const d = await bench.read(pool, { abi, functionName: "D" });
    const functionName = "price_scale";
    const scale = await bench.read(pool, { abi: curveTwocryptoAbi, functionName });
    if (scale === BigInt(after.priceScale)) expect(d).toBe(BigInt(after.D));
  }
});

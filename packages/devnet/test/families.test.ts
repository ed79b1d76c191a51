import { budget, law } from "@millrace/testing";
import { Effect } from "effect";
import { type Address, encodeFunctionData, type Hex, type Log, numberToHex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aerodromeFactoryAbi, devnetRouterAbi } from "../src/contracts/familyAbis.ts";
import { FEE_HOOK } from "../src/contracts/uniswapV4.ts";
import type { FamilyPool, SolidlyState, TicksState } from "../src/families/FamilyPool.ts";
import { FamilyPools } from "../src/families/FamilyPools.ts";
import type { DevnetFamilies } from "../src/index.ts";
import { ManyTokenReader } from "../src/manyTokens/ManyTokenReader.ts";
import { swapCall, throughDevnetRouter } from "../src/market/routerCalls.ts";
import { type OpenDevnet, openDevnet } from "./openDevnet.ts";

const tokenAbi = parseAbi(["function balanceOf(address) view returns (uint256)"]);

let eth: OpenDevnet;
let base: OpenDevnet;
beforeAll(async () => {
  [eth, base] = await Promise.all([
    openDevnet({ network: "ETH", families: true }),
    openDevnet({ network: "BASE", families: true }),
  ]);
});
afterAll(() => Promise.all([eth?.close(), base?.close()]));

const both = () => [eth, base];
const familiesOf = ({ devnet }: OpenDevnet): DevnetFamilies => devnet.families!;

/** Those with pools of the families. */
const dexesOf = ({ devnet }: OpenDevnet) =>
  devnet.dexes.filter(({ id }) => devnet.families!.pools.some(({ dexId }) => dexId === id));

const readerOf = (open: OpenDevnet): FamilyPools =>
  new FamilyPools(
    (method, params) => open.client.request({ method, params } as never),
    familiesOf(open).contracts,
  );

/** Those with pools of many tokens. */
const manyDexesOf = ({ devnet }: OpenDevnet) =>
  devnet.dexes.filter(({ id }) => devnet.families!.manyTokens.some(({ dexId }) => dexId === id));

const manyReaderOf = ({ client, devnet }: OpenDevnet): ManyTokenReader =>
  new ManyTokenReader(
    (method, params) => client.request({ method, params } as never),
    devnet.families!.contracts,
    devnet.traders[0]!.address,
  );

/** Pools that traffic trades in. */
const traded = (open: OpenDevnet) =>
  familiesOf(open).pools.filter(({ hooks }) => hooks !== FEE_HOOK);

const act = <A, E>(action: Effect.Effect<A, E>, times: number): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(Effect.forEach(Array.from({ length: times }), () => action));

describe("a devnet with further families", () => {
  it("has all else where it is without them", async () => {
    const without = await openDevnet({ network: "BASE" });
    try {
      expect(without.devnet.families).toBeUndefined();
      for (const part of ["contracts", "tokens", "pools", "traders"] as const)
        expect(base.devnet[part]).toEqual(without.devnet[part]);
      const added = [...dexesOf(base), ...manyDexesOf(base)];
      expect(base.devnet.dexes).toEqual([...without.devnet.dexes, ...added]);
    } finally {
      await without.close();
    }
  });

  it("has their DEXes with pools of each, and liquidity in every pool", async () => {
    const familiesAt = (open: OpenDevnet) => dexesOf(open).map(({ id }) => id);
    expect(familiesAt(eth)).toEqual(["UNISWAP_V4", "PANCAKESWAP_V3", "ALGEBRA"]);
    expect(familiesAt(base)).toEqual([
      ...["AERODROME", "SLIPSTREAM", "UNISWAP_V4", "PANCAKESWAP_V3"],
    ]);
    for (const open of both()) {
      const { pools } = familiesOf(open);
      for (const { id, factory } of dexesOf(open)) {
        expect(pools.filter(({ dexId }) => dexId === id).length).toBeGreaterThan(3);
        expect((await open.client.getCode({ address: factory }))!.length).toBeGreaterThan(1_000);
      }
      const states = await Promise.all(pools.map((pool) => readerOf(open).state(pool)));
      for (const state of states as ReadonlyArray<TicksState | SolidlyState>)
        if ("ticks" in state) {
          expect(state.liquidity).toBeGreaterThan(0n);
          expect(state.ticks.length).toBeGreaterThan(5);
        } else expect(state.reserve0 > 0n && state.reserve1 > 0n && !state.isPaused).toBe(true);
    }
  });

  it("has pools of many tokens, with liquidity in every one", async () => {
    const kindsAt = ({ devnet }: OpenDevnet) =>
      new Set(devnet.families!.manyTokens.map(({ kind }) => kind));
    const [atEth, atBase] = [kindsAt(eth), kindsAt(base)];
    for (const kind of ["curve-stable", "curve-stable-ng", "curve-crypto"] as const)
      expect(atEth).toContain(kind);
    expect(atEth).toContain("erc4626");
    expect(atEth).toContain("lido");
    expect(atBase).toContain("curve-stable-ng");
    expect(atBase).toContain("curve-crypto");
    for (const open of both()) {
      for (const pool of familiesOf(open).manyTokens) {
        const state = await manyReaderOf(open).state(pool);
        const amounts = "balances" in state ? state.balances : [state.shares, state.assets];
        expect(
          amounts.every((amount) => amount > 0n),
          pool.kind,
        ).toBe(true);
      }
    }
  });

  it("has pools of both curves of Aerodrome's, hooks that swaps do not notice, and a protocol fee", () => {
    const kinds = familiesOf(base).pools.map(({ family }) => family);
    expect(kinds).toContain("aerodrome-stable");
    expect(kinds).toContain("aerodrome-volatile");
    for (const open of both())
      expect(new Set(familiesOf(open).pools.map(({ hooks }) => hooks)).size).toBe(4);
  });

  it("has its pools' own quotes executed to the wei, whatever the family", async () => {
    for (const open of both()) {
      const pools = readerOf(open);
      const { contracts } = familiesOf(open);
      const trader = open.devnet.traders[0]!.address;
      for (const pool of traded(open)) {
        const amount = await smallPart(open, pool);
        const quoted = await pools.quote(pool, { kind: "exactIn", zeroForOne: true, amount });
        const { timestamp } = await open.client.getBlock();
        await rpc(open, "evm_setNextBlockTimestamp", [Number(timestamp)]);
        const before = await balance(open, pool.token1, trader);
        const call = pool.family.startsWith("aerodrome")
          ? encodeFunctionData({
              abi: devnetRouterAbi,
              functionName: "swapSolidly",
              args: [pool.address, pool.token0, amount],
            })
          : swapCall(pool, true, amount);
        const native = BigInt(pool.token0) === 0n ? 10n ** 22n : 0n;
        const { to, data } = throughDevnetRouter(contracts, [call], native);
        const sent = { from: trader, to, data, value: numberToHex(native), gas: "0x989680" };
        const { status } = await rpc<{ status: Hex }>(open, "eth_sendTransactionSync", [sent]);
        expect({ ...pool, status }).toEqual({ ...pool, status: "0x1" });
        expect((await balance(open, pool.token1, trader)) - before).toBe(quoted);
      }
    }
  });
});

describe("traffic in further families", () => {
  it("swaps in each of them, moves liquidity, and mostly succeeds", async () => {
    for (const open of both()) {
      const from = (await open.client.getBlockNumber()) + 1n;
      const done = (await act(open.devnet.traffic.block(6), budget(160))).flat();
      const kinds = new Set(done.map(({ kind }) => kind));
      for (const kind of [
        ...["family", "uniswapV4", "openFamilyPosition", "shrinkFamilyPosition", "arbitrage"],
        ...["manyTokens", "manyTokenArbitrage", "manyTokenLiquidity"],
      ])
        expect(kinds).toContain(kind);
      expect(done.filter(({ succeeded }) => succeeded).length).toBeGreaterThan(done.length * 0.85);
      const logs = await rpc<ReadonlyArray<Log>>(open, "eth_getLogs", [
        { fromBlock: numberToHex(from) },
      ]);
      const swapped = new Set(
        logs
          .filter(({ topics: [first] }) => SWAPS.includes(first!.slice(2, 10)))
          .map(({ address, topics }) =>
            topics[0]!.startsWith("0x40e9cecb") ? topics[1] : address,
          ),
      );
      for (const { id } of dexesOf(open)) {
        const own = familiesOf(open).pools.filter(({ dexId }) => dexId === id);
        expect(own.filter((pool) => swapped.has(pool.id)).length).toBeGreaterThan(1);
      }
      const trap = familiesOf(open).pools.find(({ hooks }) => hooks === FEE_HOOK)!;
      expect(swapped).not.toContain(trap.id);
    }
  });

  it("goes on, and keeps pools of the same tokens within their fees of each other", async () => {
    for (const open of both()) {
      const looks: Array<ReadonlyArray<number>> = [];
      const { cases: rounds } = law(`traffic goes on at ${open.devnet.chainId}`, 3);
      for (let round = 0; round < rounds; round++) {
        const done = (await act(open.devnet.traffic.block(10), 20)).flat();
        expect(done.filter(({ succeeded }) => succeeded).length).toBeGreaterThan(done.length * 0.8);
        looks.push(await apartBeyondFees(open));
      }
      const apart = looks.flat();
      const within = apart.filter((distance) => distance < MARGIN);
      expect(within.length).toBeGreaterThan(apart.length * 0.8);
      // One great trade moves a pool away from several others; it comes back.
      const least = looks[0]!.map((_, at) => Math.min(...looks.map((look) => look[at]!)));
      expect(Math.max(...least)).toBeLessThan(FARTHEST);
      const gains = await gainsOfManyTokens(open);
      expect(gains.length).toBeGreaterThan(2);
      expect(gains.filter((gain) => gain < MARGIN).length).toBeGreaterThan(gains.length * 0.8);
      expect(Math.max(...gains)).toBeLessThan(FARTHEST);
    }
  });

  it("leaves the same market after the same steps with the same seed", async () => {
    const [one, same] = await Promise.all(
      [7, 7].map(async (seed) => {
        const open = await openDevnet({ network: "BASE", families: true, seed });
        try {
          await act(open.devnet.traffic.block(5), 12);
          const pools = familiesOf(open).pools.filter(({ family }) => family !== "slipstream");
          return await Promise.all(pools.map((pool) => readerOf(open).state(pool)));
        } finally {
          await open.close();
        }
      }),
    );
    expect(same).toEqual(one);
  });

  it("is taken back by reorganisations", async () => {
    const reader = readerOf(eth);
    // Their fees follow the time.
    const pools = traded(eth).filter(({ family }) => family !== "algebra-integral");
    const states = () => Promise.all(pools.map((pool) => reader.state(pool)));
    const before = await states();
    await act(eth.devnet.traffic.block(8), 5);
    expect(await states()).not.toEqual(before);
    await Effect.runPromise(eth.devnet.traffic.reorganise(5));
    expect(await states()).toEqual(before);
  });

  it("can be stopped by the governor: Aerodrome's pools pause, and all else goes on", async () => {
    const { governor, aerodrome } = familiesOf(base).contracts;
    const pause = async (state: boolean) => {
      const call = { functionName: "setPauseState", args: [state] } as const;
      const data = encodeFunctionData({ abi: aerodromeFactoryAbi, ...call });
      const sent = { from: governor, to: aerodrome.factory, data, gas: "0x186a0" };
      const { status } = await rpc<{ status: Hex }>(base, "eth_sendTransactionSync", [sent]);
      expect(status).toBe("0x1");
    };
    await pause(true);
    const done = (await act(base.devnet.traffic.block(6), 10)).flat();
    expect(done.filter(({ succeeded }) => succeeded).length).toBeGreaterThan(20);
    await pause(false);
  });
});

/** First topics of swaps: Uniswap V4, PancakeSwap V3, Uniswap V3's, Aerodrome. */
const SWAPS = ["40e9cecb", "19b47279", "c42079f9", "b3e27736"];
/** What an arbitrageur leaves, and how far outside prices go until one comes again. */
const MARGIN = 0.02;
/** Of a pool that somebody has just traded much in; farther only where several have. */
const FARTHEST = 0.15;

/** Of every two pools of the same tokens, how far their prices are apart beyond both fees. */
async function apartBeyondFees(open: OpenDevnet): Promise<ReadonlyArray<number>> {
  const spots = await Promise.all(
    traded(open).map(async (pool) => {
      const spot = await spotOf(open, pool);
      const tokens = [pool.token0, pool.token1].map((token) =>
        BigInt(token) === 0n ? open.devnet.wrappedNative : token,
      );
      // By the wrapped token's order, in which a native one is not always the first.
      const price = tokens[0]! > tokens[1]! ? 1 / spot.price : spot.price;
      return { ...spot, price, key: tokens.sort().join() };
    }),
  );
  return spots.flatMap((one, index) =>
    spots
      .slice(index + 1)
      .filter(({ key }) => key === one.key)
      .map((other) => Math.abs(Math.log(one.price / other.price)) - one.fee - other.fee),
  );
}

/** Of every pool of many tokens and pool of two of them, what a way there and back gains. */
async function gainsOfManyTokens(open: OpenDevnet): Promise<ReadonlyArray<number>> {
  const reader = manyReaderOf(open);
  const gains: Array<number> = [];
  for (const two of traded(open)) {
    const pair = [two.token0, two.token1].map((token) =>
      BigInt(token) === 0n ? open.devnet.wrappedNative : token,
    );
    for (const many of familiesOf(open).manyTokens) {
      const places = pair.map((token) => many.tokens.indexOf(token));
      if (places.includes(-1)) continue;
      for (const zeroForOne of [true, false]) {
        const amount = zeroForOne ? await smallPart(open, two) : await smallPart(open, two, 1);
        const request = { kind: "exactIn", zeroForOne, amount } as const;
        const given = await readerOf(open).quote(two, request);
        const [positionOut, positionIn] = zeroForOne ? places : places.toReversed();
        const back = { positionIn: positionIn!, positionOut: positionOut!, amountIn: given! };
        const returned = await reader.quote(many, back);
        // Nothing leads out of a wrapper that only wraps.
        if (returned !== undefined) gains.push(Math.log(Number(returned) / Number(amount)));
      }
    }
  }
  return gains;
}

const rpc = <A>({ client }: OpenDevnet, method: string, params: ReadonlyArray<unknown>) =>
  client.request({ method, params } as never) as Promise<A>;

const balance = ({ client }: OpenDevnet, token: Address, holder: Address) =>
  client.readContract({ address: token, abi: tokenAbi, functionName: "balanceOf", args: [holder] });

/** A ten thousandth of the token0 that a pool has around its price, or of its token1. */
async function smallPart(open: OpenDevnet, pool: FamilyPool, place: 0 | 1 = 0): Promise<bigint> {
  const state = (await readerOf(open).state(pool)) as TicksState | SolidlyState;
  if (!("ticks" in state)) return (place === 0 ? state.reserve0 : state.reserve1) / 10_000n;
  const { liquidity, sqrtPriceX96 } = state;
  const around =
    place === 0 ? (liquidity << 96n) / sqrtPriceX96 : (liquidity * sqrtPriceX96) >> 96n;
  return around / 10_000n;
}

/** Units of token1 for one of token0 at the margin, and the fee as a share. */
async function spotOf(open: OpenDevnet, pool: FamilyPool) {
  const state = (await readerOf(open).state(pool)) as TicksState | SolidlyState;
  if ("ticks" in state) {
    const added = Math.max((state.protocolFee ?? 0) & 0xfff, (state.protocolFee ?? 0) >> 12);
    return {
      price: (Number(state.sqrtPriceX96) / 2 ** 96) ** 2,
      fee: (state.fee + added) / 1e6,
    };
  }
  const fee = state.fee / 1e4;
  const x = Number(state.reserve0) / 10 ** state.decimals0;
  const y = Number(state.reserve1) / 10 ** state.decimals1;
  const slope =
    pool.family === "aerodrome-stable"
      ? (3 * x * x * y + y ** 3) / (x ** 3 + 3 * x * y * y)
      : y / x;
  return { price: slope * 10 ** (state.decimals1 - state.decimals0), fee };
}

import type { Address, PoolListing } from "@millrace/core";
import type { ChainDex, ChainLog, Creation, FollowedState, Hex } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import { encodeAbiParameters, keccak256, stringToHex, toFunctionSelector, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anchorDepths } from "../../src/reading/anchorDepths.ts";
import { type BlockReader, callAll } from "../../src/reading/callAll.ts";
import { decodeLogs } from "../../src/reading/decodeLogs.ts";
import { discoverRange } from "../../src/reading/discoverRange.ts";
import { readStates } from "../../src/reading/readStates.ts";
import { readSupplies, readTokens } from "../../src/reading/readTokens.ts";
import { shallowReadAll } from "../../src/reading/shallowReadAll.ts";
import { Anvil, deployer, multicallCode } from "./anvil.ts";
import { erc20, manager, v2Factory, v2Pair, v3Factory, v3Pool } from "./artifacts.ts";
import { opened } from "./factoryChain.ts";
import {
  burnsAllGas,
  contractCode,
  returns,
  returnsLate,
  returnsZeros,
  reverts,
} from "./hostileCode.ts";
import { scriptedEndpoints } from "./scriptedEndpoints.ts";

const [SQRT_PRICE_ONE, FOREVER, E18] = [2n ** 96n, 2n ** 40n, 10n ** 18n];
const BNB = { symbol: "BNB", name: "BNB" };
let anvil: Anvil;
let multicall: Address;
let tokens: Address[];
let dexes: ChainDex[];

beforeAll(async () => {
  anvil = await Anvil.start();
  multicall = await anvil.send(multicallCode());
  tokens = [];
  for (const decimals of [18, 6, 8]) {
    const token = await anvil.deploy(erc20, `Token ${decimals}`, `T${decimals}`, decimals);
    await anvil.call(token, erc20, "mint", deployer, 10n ** 30n);
    tokens.push(token);
  }
  tokens.sort();
  const pairs = await anvil.deploy(v2Factory, deployer);
  const pools = await anvil.deploy(v3Factory);
  dexes = [
    {
      id: "UNISWAP_V2",
      name: "Uniswap V2",
      protocol: "constant-product",
      factory: pairs,
      initCodeHash: keccak256(v2Pair.bytecode),
      feePips: 3_000,
      startBlock: 0,
    },
    {
      id: "UNISWAP_V3",
      name: "Uniswap V3",
      protocol: "concentrated-liquidity",
      factory: pools,
      initCodeHash: keccak256(v3Pool.bytecode),
      startBlock: 0,
    },
  ];
  await openPairs(pairs);
  await openConcentrated(pools);
});

afterAll(() => anvil?.stop());

/** Three pairs: two with reserves, one empty. */
async function openPairs(factory: Address) {
  const [a, b, c] = tokens as [Address, Address, Address];
  for (const [token0, token1] of [
    [a, b],
    [b, c],
    [a, c],
  ] as const) {
    await anvil.call(factory, v2Factory, "createPair", token0, token1);
  }
  const [first, second] = (await discover()) as [PoolListing, PoolListing];
  for (const [pair, amount] of [
    [first, 1_000n],
    [second, 7n],
  ] as const) {
    for (const token of pair.tokens) {
      await anvil.call(token, erc20, "transfer", pair.address, amount * E18);
    }
    await anvil.call(pair.address, v2Pair, "mint", deployer);
  }
}

/** Four pools of all tick spacings: positions overlap in three, the last is not initialised. */
async function openConcentrated(factory: Address) {
  const [a, b, c] = tokens as [Address, Address, Address];
  await anvil.call(factory, v3Factory, "enableFeeAmount", 100, 1);
  const none = `0x${"0".repeat(40)}`;
  const positions = await anvil.deploy(manager, factory, a, none);
  for (const token of tokens) await anvil.call(token, erc20, "approve", positions, 2n ** 255n);
  for (const [fee, spacing] of [
    [100, 1],
    [500, 10],
    [10_000, 200],
  ] as const) {
    const initialise = "createAndInitializePoolIfNecessary";
    await anvil.call(positions, manager, initialise, a, b, fee, SQRT_PRICE_ONE);
    const end = Math.floor(887_272 / spacing) * spacing;
    for (const [lower, upper] of [
      [-end, end],
      [-spacing, spacing],
      [spacing, Math.min(7_000 * spacing, end)],
      [-256 * spacing, -spacing],
    ] as const) {
      await anvil.call(positions, manager, "mint", {
        token0: a,
        token1: b,
        fee,
        tickLower: lower,
        tickUpper: upper,
        amount0Desired: E18,
        amount1Desired: E18,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: deployer,
        deadline: FOREVER,
      });
    }
  }
  await anvil.call(factory, v3Factory, "createPool", b, c, 3_000);
}

async function discover(configured = dexes): Promise<ReadonlyArray<PoolListing>> {
  const toBlock = Number(await anvil.rpc<Hex>("eth_blockNumber"));
  const endpoint = anvil.endpoint();
  const chunks = await Effect.runPromise(
    Stream.runCollect(
      discoverRange({
        endpoints: scriptedEndpoints(endpoint.request),
        dexes: opened(configured),
        fromBlock: 0,
        toBlock,
      }),
    ),
  );
  return chunks.flatMap(({ creations }) => creations.pools.map(({ listing }) => listing));
}

async function readerAt(block = "latest", bytesMax?: number): Promise<BlockReader> {
  const { hash } = await anvil.rpc<{ hash: Hex }>("eth_getBlockByNumber", block, false);
  return { endpoint: anvil.endpoint(bytesMax), blockHash: hash, multicall };
}

const dexOf = ({ dexId }: PoolListing) => opened(dexes).find(({ dex }) => dex.id === dexId)!;

async function logsOf(address: Address): Promise<ChainLog[]> {
  const filter = { address, fromBlock: "0x0", toBlock: "latest" };
  const logs = decodeLogs(await anvil.rpc("eth_getLogs", filter));
  if (typeof logs === "string") throw new Error(logs);
  return logs.map(({ log }) => log);
}

const isOf = (
  made: Creation | undefined,
  { address }: PoolListing,
): made is Extract<Creation, { listing: unknown }> =>
  made !== undefined && "listing" in made && made.listing.address === address;

/** The state that a pool's logs lead to. */
async function foldLogs(listing: PoolListing): Promise<FollowedState> {
  const dex = dexOf(listing);
  const creations = await logsOf(dex.dex.factory);
  let state = creations.map((log) => dex.decodeCreation(log)).find((made) => isOf(made, listing))!
    .created!;
  for (const log of await logsOf(listing.address)) {
    const effect = dex.applyLog(listing, state, log);
    if (effect === undefined) continue;
    if (typeof effect === "string" || "refused" in effect) throw new Error("impossible");
    state = effect.state;
  }
  return state;
}

describe("pools of real contracts", () => {
  it("are discovered, at the addresses that their factories give", async () => {
    const listings = await discover();
    expect(listings.map(({ dexId, parameter }) => [dexId, parameter])).toEqual([
      ...Array.from({ length: 3 }, () => ["UNISWAP_V2", 0]),
      ...[1, 10, 200, 60].map((spacing) => ["UNISWAP_V3", spacing]),
    ]);
    const strangers = dexes.map((dex) => ({ ...dex, initCodeHash: keccak256("0x") }));
    expect(await discover(strangers)).toEqual([]);
  });

  it("have the states that their logs lead to", async () => {
    const listings = await discover();
    const pools = listings.map((listing) => ({ listing, dex: dexOf(listing) }));
    const steps: number[] = [];
    const states = await Effect.runPromise(
      readStates(await readerAt(), pools, ({ done }) => steps.push(done)),
    );
    for (const [position, listing] of listings.entries()) {
      expect(states[position]).toEqual(await foldLogs(listing));
    }
    expect(states[3]).toMatchObject({ book: { keys: { length: 6 } } });
    expect(steps.at(-1)).toBe(listings.length);
  });

  it("are shallowly read for their depth", async () => {
    const listings = await discover();
    const pools = listings.map((listing) => ({ listing, dex: dexOf(listing) }));
    const glanced = await Effect.runPromise(shallowReadAll(await readerAt(), pools));
    expect(glanced.map(({ reserves }) => reserves !== undefined)).toEqual([
      ...[true, true, false],
      ...[true, true, true, false],
    ]);
    expect(glanced[0]!.reserves).toEqual([1_000n * E18, 1_000n * E18]);
    const anchors = [{ address: tokens[0]!, decimals: 18, priceUsd: 2 }];
    const { depths } = anchorDepths({ anchors, depthFloorUsd: 1, pools: [] }, glanced);
    expect(depths[0]).toBeCloseTo(2_000 * (1 / Math.sqrt(0.98) - 1), 6);
    expect(depths[1]).toBeGreaterThan(0);
    expect(depths[2]).toBe(0);
  });

  it("are read as they were at an older block", async () => {
    const [pair] = await discover();
    const pools = [{ listing: pair!, dex: dexOf(pair!) }];
    const block = Number(await anvil.rpc("eth_blockNumber"));
    const reader = await readerAt(`0x${block.toString(16)}`);
    await anvil.call(pair!.tokens[0]!, erc20, "transfer", pair!.address, E18);
    await anvil.call(pair!.address, v2Pair, "sync");
    const [now, then] = await Effect.runPromise(
      Effect.all([readStates(await readerAt(), pools), readStates(reader, pools)]),
    );
    expect(now).toEqual([await foldLogs(pair!)]);
    expect(then).not.toEqual(now);
  });
});

const word = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value]);
const DECIMALS = toFunctionSelector("decimals()");
const text = (value: string): Hex => encodeAbiParameters([{ type: "string" }], [value]);
const REVERSED = "U\u202eSD\u200bC";
const ONES: Hex = `0x${"ff".repeat(500)}`;
const decimals = { "decimals()": returns(word(18n)) };
/** Addresses of tokens whose code the tests set. */
const at = (index: number): Address => `0x${(0xc0de00 + index).toString(16).padStart(40, "0")}`;

describe("hostile tokens", () => {
  const codes = [
    { ...decimals, "symbol()": returns(stringToHex("MKR", { size: 32 })), "name()": reverts },
    { ...decimals, "symbol()": returns(text(REVERSED)), "name()": returns(text("\u0007")) },
    { ...decimals, "symbol()": burnsAllGas, "name()": burnsAllGas },
    { ...decimals, "symbol()": returnsZeros(10_000_000), "name()": returnsZeros(700_000) },
    { ...decimals, "symbol()": returns(word(2n ** 256n - 1n)), "name()": returns(ONES) },
    { "decimals()": burnsAllGas },
    { "decimals()": returns(word(37n)) },
    { "decimals()": returns(word(2n ** 255n)) },
    { "decimals()": returns("0x12") },
    { "decimals()": returnsZeros(700_000) },
  ];

  beforeAll(async () => {
    for (const [position, code] of codes.entries()) {
      await anvil.rpc("anvil_setCode", at(position), contractCode(code));
    }
    await anvil.rpc("evm_mine");
  });

  const short = (index: number) => `${at(index).slice(0, 6)}…${at(index).slice(-4)}`;

  it("are listed by what of them is sound, or left out with the reason", async () => {
    const reader = await readerAt("latest", 1_000_000);
    const addresses = [...codes.keys(), codes.length].map(at);
    addresses.splice(1, 0, zeroAddress);
    expect(await Effect.runPromise(readTokens(reader, addresses, BNB))).toEqual([
      { address: at(0), decimals: 18, symbol: "MKR", name: "MKR" },
      { address: zeroAddress, decimals: 18, ...BNB },
      { address: at(1), decimals: 18, symbol: "USDC", name: "USDC" },
      { address: at(2), decimals: 18, symbol: short(2), name: short(2) },
      { address: at(3), decimals: 18, symbol: short(3), name: short(3) },
      { address: at(4), decimals: 18, symbol: short(4), name: short(4) },
      { address: at(5), problem: "it tells no decimals" },
      { address: at(6), problem: "more than 36 decimals" },
      { address: at(7), problem: "more than 36 decimals" },
      { address: at(8), problem: "it tells no decimals" },
      { address: at(9), problem: "it tells no decimals" },
      { address: at(10), problem: "it tells no decimals" },
    ]);
  });

  it("harm no honest one beside them", async () => {
    const reader = await readerAt("latest", 1_000_000);
    const honest = Array.from({ length: 300 }, (_, position) => tokens[position % 3]!);
    const mixed = honest.flatMap((token, position) =>
      position % 50 === 0 ? [at(2), at(3), token] : [token],
    );
    const listed = await Effect.runPromise(readTokens(reader, mixed, BNB));
    const symbols = listed.flatMap((token) =>
      "symbol" in token && tokens.includes(token.address) ? [token.symbol] : [],
    );
    expect(symbols).toHaveLength(honest.length);
    expect(symbols.every((symbol) => /^T(18|6|8)$/.test(symbol))).toBe(true);
  });

  it("take no gas from those behind them", async () => {
    const costly = at(100);
    const code = contractCode({ "decimals()": returnsLate(18) });
    await anvil.rpc("anvil_setCode", costly, code);
    await anvil.rpc("evm_mine");
    const calls = [at(5), costly, at(5), costly].map((to) => ({ to, data: DECIMALS }));
    expect(await Effect.runPromise(callAll(await readerAt(), calls))).toEqual([
      undefined,
      word(18n),
      undefined,
      word(18n),
    ]);
  });

  it("give how much there is of them, or nothing", async () => {
    const supplies = await Effect.runPromise(
      readSupplies(await readerAt(), [tokens[0]!, at(2), at(20)]),
    );
    expect(supplies).toEqual([10n ** 30n, undefined, undefined]);
  });
});

describe("what stands between a caller and contracts", () => {
  const fails = async (reader: BlockReader) =>
    Effect.runPromise(Effect.flip(callAll(reader, [{ to: tokens[0]!, data: DECIMALS }])));

  it("fails a reader of a block that the node does not know", async () => {
    const unknown = { ...(await readerAt()), blockHash: keccak256("0x") };
    expect(await fails(unknown)).toMatchObject({ reason: "Refused" });
  });

  it("fails a reader of a block that was reorganised away", async () => {
    await anvil.rpc("evm_mine");
    const reader = await readerAt();
    await anvil.rpc("anvil_reorg", 1, []);
    expect(await fails(reader)).toMatchObject({ reason: "Refused" });
  });

  it("fails where there is no Multicall3, and says so", async () => {
    const missing = { ...(await readerAt()), multicall: at(30) };
    const error = await fails(missing);
    expect(error).toMatchObject({ reason: "BadData", detail: `no Multicall3 at ${at(30)}` });
    const wrong = { ...(await readerAt()), multicall: tokens[0]! };
    expect(await fails(wrong)).toMatchObject({ reason: "Refused" });
  });
});

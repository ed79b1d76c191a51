import type { Address, Engine, PoolIndex } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import type { Hex } from "@millrace/protocols";
import {
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
  prepareEncodeFunctionData,
  toEventSelector,
} from "viem";
import type { Call, Chain } from "./Chain.ts";

/** A pool's whole state as its own contract reports it. */
export interface PoolReading {
  readonly address: Address;
  readonly factory: Address;
  readonly tokens: ReadonlyArray<Address>;
  /** Two reserves, or √price, tick and liquidity. */
  readonly head: ReadonlyArray<bigint>;
  /** Tick spacing of a concentrated pool; otherwise its fee. */
  readonly parameter: number;
  /** Every initialised tick with its liquidityNet, ascending. */
  readonly ticks: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
}

export const v2FactoryAbi = parseAbi([
  "function allPairsLength() view returns (uint256)",
  "function allPairs(uint256) view returns (address)",
  "function createPair(address tokenA, address tokenB) returns (address)",
]);
export const v2PairAbi = parseAbi([
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32)",
  "function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)",
  "function mint(address to) returns (uint256)",
  "function burn(address to) returns (uint256, uint256)",
  "function sync()",
  "function skim(address to)",
]);
export const v3FactoryAbi = parseAbi([
  "function createPool(address, address, uint24) returns (address)",
]);
const v3PoolAbi = parseAbi([
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function fee() view returns (uint24)",
  "function tickSpacing() view returns (int24)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
  "function tickBitmap(int16) view returns (uint256)",
]);
const tickLensAbi = parseAbi([
  "struct Tick { int24 tick; int128 liquidityNet; uint128 liquidityGross; }",
  "function getPopulatedTicksInWord(address pool, int16 word) view returns (Tick[])",
]);

// Encoded once, since pools are read again and again.
const ALL_PAIRS_LENGTH = encodeFunctionData({ abi: v2FactoryAbi, functionName: "allPairsLength" });
const ALL_PAIRS = prepareEncodeFunctionData({ abi: v2FactoryAbi, functionName: "allPairs" });
const PAIR_CALLS = (["token0", "token1", "getReserves"] as const).map((functionName) =>
  encodeFunctionData({ abi: v2PairAbi, functionName }),
);
const CONCENTRATED_CALLS = (["token0", "token1", "tickSpacing", "slot0", "liquidity"] as const).map(
  (functionName) => encodeFunctionData({ abi: v3PoolAbi, functionName }),
);
const POPULATED_TICKS = prepareEncodeFunctionData({
  ...{ abi: tickLensAbi, functionName: "getPopulatedTicksInWord" },
});

/** Fees that the test's factories support, for pools of any pair of tokens. */
export const V3_FEES = [100, 500, 3000, 10000];
const TICK_MAX = 887_272;
const POOL_CREATED = toEventSelector("PoolCreated(address,address,uint24,int24,address)");

/** Every pool of every factory of the devnet by address, read from the contracts themselves. */
export async function readPools(
  chain: Chain,
  devnet: Devnet,
): Promise<ReadonlyMap<Address, PoolReading>> {
  const readings: PoolReading[] = [];
  for (const { factory, protocol } of devnet.dexes) {
    if (protocol !== "constant-product") continue;
    readings.push(...(await readPairs(chain, factory, await pairsOf(chain, factory))));
  }
  readings.push(...(await readConcentrated(chain, devnet, await concentratedOf(chain, devnet))));
  return new Map(readings.map((reading) => [reading.address, reading]));
}

/** The same pool as the graph has it. */
export function poolOf({ graph }: Engine["Service"], pool: PoolIndex): PoolReading {
  const start = graph.poolStateStart[pool]!;
  const word = (place: number) => graph.stateWords[start + place]!;
  const wide = (place: number, count: number) =>
    Array.from({ length: count }, (_, index) => word(place + index) << BigInt(64 * index)).reduce(
      (sum, part) => sum + part,
    );
  const isPair = graph.curveNames[graph.poolCurve[pool]!] === "constant-product";
  const book = graph.poolBookStart[pool]!;
  return {
    address: graph.poolAddress(pool),
    factory: graph.dexes[graph.poolDex[pool]!]!.factory,
    tokens: [0, 1].map((position) => graph.tokenAddress(graph.poolToken(pool, position))),
    head: isPair ? [wide(0, 2), wide(2, 2)] : [wide(0, 3), BigInt.asIntN(64, word(5)), wide(3, 2)],
    parameter: isPair ? 0 : graph.poolParameter[pool]!,
    ticks: Array.from({ length: graph.poolBookLength[pool]! }, (_, index) => [
      graph.bookKeys[book + index]!,
      BigInt.asUintN(64, graph.bookWords[2 * (book + index)]!) +
        (graph.bookWords[2 * (book + index) + 1]! << 64n),
    ]),
  };
}

async function pairsOf(chain: Chain, factory: Address): Promise<Address[]> {
  const ask = async (calls: ReadonlyArray<Call>) => chain.callAll(calls);
  const [count] = await ask([{ to: factory, data: ALL_PAIRS_LENGTH }]);
  const pairs = Array.from({ length: Number(count) }, (_, index) => ({
    to: factory,
    data: encodeFunctionData({ ...ALL_PAIRS, args: [BigInt(index)] }),
  }));
  return (await ask(pairs)).map((answer) => `0x${answer!.slice(-40)}` as Address);
}

async function concentratedOf(chain: Chain, { contracts }: Devnet): Promise<Address[]> {
  const filter = { address: contracts.v3Factory, fromBlock: "0x0", topics: [POOL_CREATED] };
  const logs = await chain.request<ReadonlyArray<{ readonly data: Hex }>>("eth_getLogs", [filter]);
  return logs.map(({ data }) => `0x${data.slice(-40)}` as Address);
}

async function readPairs(
  chain: Chain,
  factory: Address,
  pairs: ReadonlyArray<Address>,
): Promise<PoolReading[]> {
  const answers = await chain.callAll(
    pairs.flatMap((to) => PAIR_CALLS.map((data) => ({ to, data }))),
  );
  return pairs.map((address, index) => {
    const [token0, token1, reserves] = answers.slice(3 * index, 3 * index + 3) as [Hex, Hex, Hex];
    const [reserve0, reserve1] = decodeFunctionResult({
      abi: v2PairAbi,
      functionName: "getReserves",
      data: reserves,
    });
    const tokens = [token0, token1].map((word) => `0x${word.slice(-40)}` as Address);
    return { address, factory, tokens, head: [reserve0, reserve1], parameter: 0, ticks: [] };
  });
}

async function readConcentrated(
  chain: Chain,
  { contracts: { v3Factory: factory, tickLens } }: Devnet,
  pools: ReadonlyArray<Address>,
): Promise<PoolReading[]> {
  const answers = await chain.callAll(
    pools.flatMap((to) => CONCENTRATED_CALLS.map((data) => ({ to, data }))),
  );
  const heads = pools.map((address, index) => {
    const [token0, token1, spacing, slot0, liquidity] = answers
      .slice(5 * index, 5 * index + 5)
      .map((answer) => answer!);
    const [sqrtPriceX96, tick] = decodeFunctionResult({
      abi: v3PoolAbi,
      functionName: "slot0",
      data: slot0!,
    });
    return {
      ...{ address, factory },
      tokens: [token0, token1].map((word) => `0x${word!.slice(-40)}` as Address),
      head: [sqrtPriceX96, BigInt(tick), BigInt(liquidity!)],
      parameter: Number(spacing),
    };
  });
  // A pool without a price never had a position.
  const words = await readBitmaps(
    chain,
    heads.filter(({ head }) => head[0]! > 0n),
  );
  const ticks = await readTicks(chain, words, tickLens);
  return heads.map((head) => ({ ...head, ticks: ticks.get(head.address) ?? [] }));
}

/**
 * Runs in place of a pool's code: returns index and bits of each non-empty word of its bitmap, from
 * one index to below another. `tickBitmap` is at slot 6; calling the pool's own function for each
 * word of a spacing of 1 takes a second.
 */
const WALK_BITMAP: Hex =
  "0x600660205260406000355b806020351460385780600052604060002054801560305781835280836020015291604001915b50600101600a565b50604090036040f3";

interface BitmapWord {
  readonly pool: Address;
  readonly index: number;
}

async function readBitmaps(
  chain: Chain,
  pools: ReadonlyArray<Pick<PoolReading, "address" | "parameter">>,
): Promise<ReadonlyArray<BitmapWord>> {
  const answers = await chain.batch(
    pools.map(({ address, parameter }) => {
      const last = Math.floor(TICK_MAX / parameter) >> 8;
      const data = `0x${toWord(-last - 1)}${toWord(last + 1)}`;
      const call = { to: address, data, gas: "0x1000000000" };
      return ["eth_call", [call, "latest", { [address]: { code: WALK_BITMAP } }]] as const;
    }),
  );
  return pools.flatMap(({ address }, place) => {
    const found = answers[place]!.result as string | undefined;
    if (found === undefined) throw new Error(JSON.stringify(answers[place]!.error));
    return (found.slice(2).match(/.{128}/g) ?? []).map((pair) => ({
      pool: address,
      index: Number(BigInt.asIntN(16, BigInt(`0x${pair.slice(0, 64)}`))),
    }));
  });
}

const toWord = (value: number) => BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");

/** Reads the non-empty words through the periphery's lens. */
async function readTicks(chain: Chain, words: ReadonlyArray<BitmapWord>, tickLens: Address) {
  const populated = await chain.callAll(
    words.map(({ pool, index }) => ({
      to: tickLens,
      data: encodeFunctionData({ ...POPULATED_TICKS, args: [pool, index] }),
    })),
  );
  const ticks = new Map<Address, Array<readonly [number, bigint]>>();
  for (const [place, { pool }] of words.entries()) {
    const found = decodeFunctionResult({
      abi: tickLensAbi,
      functionName: "getPopulatedTicksInWord",
      data: populated[place]!,
    });
    const known = ticks.get(pool) ?? [];
    for (const { tick, liquidityNet } of found) known.push([tick, liquidityNet]);
    ticks.set(pool, known);
  }
  for (const known of ticks.values()) known.sort(([left], [right]) => left - right);
  return ticks;
}

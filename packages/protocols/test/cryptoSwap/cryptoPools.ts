import {
  type Address,
  FEE_IN_STATE,
  NO_HASH,
  openMarket,
  type PoolShape,
  type PoolState,
} from "@millrace/core";
import { RandomSource } from "@millrace/testing";
import type { FamilyUnderTest } from "@millrace/testing/conformance";
import { type OpenPool, unlessReverted } from "@millrace/testing/reference";
import fc from "fast-check";
import { CRYPTO_CONTRACTS } from "../../src/curves/cryptoSwap/contracts.ts";
import type { CryptoPool } from "../../src/curves/cryptoSwap/math.ts";
import { cryptoSwap } from "../../src/curves/cryptoSwap/pool.ts";
import { encodeCrypto, encodeCryptoConstants } from "../../src/curves/cryptoSwap/state.ts";
import { swapCrypto, xcp } from "./reference.ts";
import { newtonD, type PlainCrypto } from "./referenceNewton.ts";

export type CryptoKind = PlainCrypto["contract"];

/** By their place in the constants of a pool. */
export const cryptoKinds: ReadonlyArray<CryptoKind> = ["tri", "triNG", "two20", "two21", "two21b"];

const WAD = 10n ** 18n;

/** A random pool of the contract: D is of its balances, as a swap leaves it. */
export function drawCrypto(random: RandomSource, contract: CryptoKind): PlainCrypto {
  for (;;) {
    const pool = tryCrypto(random, contract);
    const D = unlessReverted(() => newtonD(pool, scaledBalances(pool), 0n));
    if (D === undefined || D < 10n ** 17n || D > 10n ** 33n) continue;
    const product = unlessReverted(() => xcp(pool, D)) ?? 0n;
    const supply = (product * WAD) / (WAD + random.bigint(WAD));
    if (supply === 0n) continue;
    const virtualPrice = random.chance(0.1) ? 0n : (WAD * product) / supply;
    return { ...pool, D, totalSupply: supply, virtualPrice };
  }
}

function tryCrypto(random: RandomSource, contract: CryptoKind): PlainCrypto {
  const n = contract.startsWith("tri") ? 3 : 2;
  const aMultiplier = contract === "tri" ? random.pick([1n, 100n, 10_000n]) : 10_000n;
  const nn = n === 3 ? 27n : 4n;
  const isPlain = random.chance(0.5);
  const most = n === 3 ? 5e16 : contract === "two20" ? 2e16 : 199e15;
  const gamma = isPlain ? logBetween(random, 1e13, 2e16) : logBetween(random, 1e10, most);
  const a = isPlain ? logBetween(random, 0.4, 400) : logBetween(random, 0.1, 999);
  const worth = isPlain ? logBetween(random, 1e3, 1e9) : logBetween(random, 0.2, 1e14);
  const octaves = random.pick([0.1, 1, 4]);
  const precisions = Array.from(
    { length: n },
    () => 10n ** BigInt(18 - random.pick([18, 18, 18, 6, 8, 2])),
  );
  const priceScale = Array.from({ length: n - 1 }, () => scaled(logBetween(random, 1e-7, 1e7)));
  const balances = precisions.map((precision, at) => {
    const part = worth * 2 ** (octaves * (random.next() - 0.5));
    const price = at === 0 ? WAD : priceScale[at - 1]!;
    const balance = (scaled(part) * WAD) / price / precision + BigInt(random.integer(1_000));
    return balance > 0n ? balance : 1n;
  });
  const midFee = scaled(logBetween(random, 5e-5, 1e-2)) / 10n ** 8n;
  const outFee = midFee + BigInt(Math.floor(logBetween(random, 1, 4e8)));
  return {
    ...{ contract, aMultiplier, precisions, balances, priceScale, midFee, outFee },
    A: (scaled(a) * nn * aMultiplier) / WAD + (aMultiplier === 1n ? 1n : 0n),
    gamma: BigInt(Math.floor(gamma)),
    D: 0n,
    feeGamma: random.chance(0.1) ? WAD : BigInt(Math.floor(logBetween(random, 1e10, 9e17))),
    totalSupply: 0n,
    virtualPrice: WAD,
  };
}

function logBetween(random: RandomSource, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

/** A number of tokens with 18 decimals. */
const scaled = (value: number): bigint => BigInt(Math.floor(value * 1e9)) * 10n ** 9n;

export function scaledBalances({ balances, precisions, priceScale }: PlainCrypto): bigint[] {
  return balances.map((balance, at) => {
    const precise = balance * precisions[at]!;
    return at === 0 ? precise : (precise * priceScale[at - 1]!) / WAD;
  });
}

/** Dust, parts and multiples of a balance, and what no pool takes. */
export function drawAmount(random: RandomSource, balance: bigint): bigint {
  const kind = random.next();
  if (kind < 0.1) return BigInt(random.between(1, 30));
  if (kind < 0.12) return 1n << BigInt(random.integer(256));
  const digits = kind < 0.5 ? -24 * random.next() : 3 * random.next() - 2;
  const amount = (balance * BigInt(Math.ceil(10 ** digits * 2 ** 90))) >> 90n;
  return amount > 0n ? amount : 1n;
}

/** The pool as the engine's arithmetic sees it. */
export function engineCrypto(pool: PlainCrypto): CryptoPool {
  const { contract, D: d, A: a, ...rest } = pool;
  return { ...rest, d, a, contract: CRYPTO_CONTRACTS[cryptoKinds.indexOf(contract)]! };
}

const ADDRESS: Address = `0x${"c0".repeat(20)}`;

export function cryptoShape(pool: PlainCrypto): PoolShape {
  const decimals = pool.precisions.map((precision) => 19 - String(precision).length);
  const place = cryptoKinds.indexOf(pool.contract);
  const constants = encodeCryptoConstants(place, pool.aMultiplier, pool.precisions);
  return { decimals, feePips: FEE_IN_STATE, parameter: 0, constants };
}

export const cryptoStateOf = (pool: PlainCrypto): PoolState => encodeCrypto(engineCrypto(pool));

/** The pool in a graph of its own. Throws where it is left out. */
export function openCrypto(pool: PlainCrypto): OpenPool {
  const open = openMarket(1, [cryptoSwap]);
  const { decimals, ...shape } = cryptoShape(pool);
  const tokens = decimals.map((_, at): Address => `0x${`a${at}`.repeat(20)}`);
  const factory: Address = `0x${"00".repeat(20)}`;
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [{ id: "CRYPTO", name: "Crypto", protocol: cryptoSwap.name, factory }],
    tokens: tokens.map((address, at) => ({
      address,
      decimals: decimals[at]!,
      symbol: "",
      name: "",
    })),
    pools: [{ address: ADDRESS, dexId: "CRYPTO", tokens, ...shape }],
    removedPools: [],
    states: [{ pool: ADDRESS, state: cryptoStateOf(pool) }],
    swaps: [],
    supplies: [],
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  return { open, index: open.graph.findPool(ADDRESS)!, family: open.families[0]! };
}

/** A pool and two of its tokens, for the conformance suite. */
interface CryptoUnderTest extends PlainCrypto {
  readonly address: Address;
  readonly pair: readonly [number, number];
}

function underTest(random: RandomSource): CryptoUnderTest {
  const pool = drawCrypto(random, random.pick(cryptoKinds));
  const pair = random.shuffled(pool.balances.map((_, at) => at)).slice(0, 2);
  return { ...pool, address: ADDRESS, pair: pair as [number, number] };
}

const sound = underTest(new RandomSource(1));
/** Of 0.3 %. */
const CHEAP = 30_000_000n;

export const cryptoFamily: FamilyUnderTest<CryptoUnderTest> = {
  pool: fc.integer().map((seed) => underTest(new RandomSource(seed))),
  open: openCrypto,
  shapeOf: cryptoShape,
  stateOf: cryptoStateOf,
  tokenCounts: [2, 3],
  pairOf: ({ pair }) => pair,
  after: (pool, zeroForOne, kind, amount) => {
    const { address, pair } = pool;
    const [from, to] = zeroForOne ? pair : ([pair[1], pair[0]] as const);
    const swap = swapCrypto(pool, from, to, kind, amount);
    return swap && { ...swap, after: { ...swap.after, address, pair } };
  },
  limitsOf: (pool, zeroForOne) => {
    const { pair, balances } = pool;
    const [from, to] = zeroForOne ? pair : ([pair[1], pair[0]] as const);
    const worth = scaledBalances(pool)[from]!;
    const most = (balances[from]! * (25n * pool.D - worth)) / worth;
    return [most, balances[to]! - balances[to]! / 50n, balances[from]!];
  },
  slack: () => 1n,
  impossible: [
    ["a fee of more than all", { ...sound, outFee: 10n ** 10n + 1n }],
    ["a lower fee out of balance", { ...sound, midFee: sound.outFee + 1n }],
    ["no gamma", { ...sound, gamma: 10n ** 10n - 1n }],
    ["a wide gamma", { ...sound, gamma: 2n * 10n ** 17n }],
    ["no A", { ...sound, A: 0n }],
    ["a price of nothing", { ...sound, priceScale: sound.priceScale.map(() => 0n) }],
    ["a fee that does not move", { ...sound, feeGamma: 0n }],
    ["a D that no contract has", { ...sound, D: 10n ** 33n + 1n }],
    ["tokens of more than 18 decimals", { ...sound, precisions: sound.precisions.map(() => 0n) }],
  ],
  cheap: (pool) => ({
    ...pool,
    midFee: pool.midFee < CHEAP ? pool.midFee : CHEAP,
    outFee: pool.outFee < CHEAP ? pool.outFee : CHEAP,
  }),
  isSmooth: true,
  unevenness: (pool, zeroForOne) => unitsUneven(pool, zeroForOne ? pool.pair[1] : pool.pair[0]),
};

/** What of an output more input may give less of: a part of the balance, and units. */
export function unitsUneven(pool: PlainCrypto, to: number): number {
  return Number(pool.balances[to]!) * 2 ** -43 + 2;
}

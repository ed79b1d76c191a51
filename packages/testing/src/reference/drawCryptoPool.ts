import { FEE_IN_STATE, type PoolShape, type PoolState } from "@millrace/core";
import { CRYPTO_CONTRACTS, encodeCrypto, encodeCryptoConstants } from "@millrace/protocols";
import type { RandomSource } from "../RandomSource.ts";
import { cryptoProduct } from "./cryptoExchange.ts";
import { cryptoD, type PlainCrypto } from "./cryptoNewton.ts";
import { unlessReverted } from "./solidity.ts";

export type CryptoKind = PlainCrypto["contract"];

/** In the order of their numbers in a pool's constants. */
export const cryptoKinds: ReadonlyArray<CryptoKind> = ["tri", "triNG", "two20", "two21", "two21b"];

const WAD = 10n ** 18n;

/** A random pool of the contract, with D computed from its balances, as a swap leaves it. */
export function drawCrypto(random: RandomSource, contract: CryptoKind): PlainCrypto {
  for (;;) {
    const pool = tryCrypto(random, contract);
    const D = unlessReverted(() => cryptoD(pool, scaledBalances(pool), 0n));
    if (D === undefined || D < 10n ** 17n || D > 10n ** 33n) continue;
    const product = unlessReverted(() => cryptoProduct(pool, D)) ?? 0n;
    const supply = (product * WAD) / (WAD + random.bigint(WAD));
    // The engine's state has amounts of 128 bits.
    if ([supply, ...pool.balances].some((each) => each >> 127n > 0n) || supply === 0n) continue;
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

/** Dust, fractions and multiples of a balance, and amounts that no pool takes. */
export function drawAmount(random: RandomSource, balance: bigint): bigint {
  const kind = random.next();
  if (kind < 0.1) return BigInt(random.between(1, 30));
  if (kind < 0.12) return 1n << BigInt(random.integer(256));
  const digits = kind < 0.5 ? -24 * random.next() : 3 * random.next() - 2;
  const amount = (balance * BigInt(Math.ceil(10 ** digits * 2 ** 90))) >> 90n;
  return amount > 0n ? amount : 1n;
}

/** The pool in the form of the engine's arithmetic: see `CryptoPool`. */
export function engineCrypto(pool: PlainCrypto) {
  const { contract, D: d, A: a, ...rest } = pool;
  return { ...rest, d, a, contract: CRYPTO_CONTRACTS[cryptoKinds.indexOf(contract)]! };
}

export function cryptoShape(pool: PlainCrypto): PoolShape {
  const decimals = pool.precisions.map((precision) => 19 - String(precision).length);
  const place = cryptoKinds.indexOf(pool.contract);
  const constants = encodeCryptoConstants(place, pool.aMultiplier, pool.precisions);
  return { decimals, feePips: FEE_IN_STATE, parameter: 0, constants };
}

export const cryptoStateOf = (pool: PlainCrypto): PoolState => encodeCrypto(engineCrypto(pool));

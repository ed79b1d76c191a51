import type { Address } from "@millrace/core";
import type { RandomSource } from "../RandomSource.ts";
import type { BalancerPool } from "./balancerPool.ts";

const ONE = 10n ** 18n;
const PERCENT = 10n ** 16n;
/** V2 stores only balances below this. */
const BALANCE_END = 1n << 112n;
/** Ranges of exponents of the number of tokens. */
const SIZES: ReadonlyArray<readonly [least: number, most: number]> = [
  [0, 9],
  [0, 9],
  [0, 9],
  [-12, 0],
  [-18, -14],
  [9, 16],
];
const FEES = [0n, 10n ** 12n, 10n ** 14n, 3n * 10n ** 15n, 10n ** 16n, 10n ** 17n];

/** 10 to a random exponent in this range. */
const tenToThe = (random: RandomSource, min: number, max: number): number =>
  10 ** (min + (max - min) * random.next());

/**
 * A random pool of so many tokens, of either Vault and any version: balanced or skewed, from dust
 * to more than any token's supply, with rates or without.
 */
export function drawBalancerPool(
  random: RandomSource,
  name: BalancerPool["math"]["name"],
  tokenCount: number,
): BalancerPool {
  const vault = random.pick([2, 3] as const);
  const decimals = Array.from({ length: tokenCount }, () =>
    random.pick([18, 18, 18, 6, 6, 8, 2, 0]),
  );
  const hasRates = (vault === 3 || name === "stable") && random.chance(0.5);
  const rates = decimals.map(() => (hasRates ? drawRate(random) : ONE));
  const [least, most] = random.pick(SIZES);
  const typical = tenToThe(random, least, most);
  const skew = random.pick([0.01, 0.3, 0.3, 2, 6]);
  const isEmptied = random.chance(0.02);
  const balances = decimals.map((digits, at) => {
    if (isEmptied && random.chance(0.5)) return 0n;
    const worth = typical * tenToThe(random, -skew, skew);
    const units = (worth * 10 ** digits * 1e18) / Number(rates[at]);
    const balance = BigInt(Math.floor(Math.min(units, 2 ** 112)));
    return balance < 1n ? 1n : balance >= BALANCE_END ? BALANCE_END - 1n : balance;
  });
  return {
    address: `0x${"b0".repeat(20)}`,
    tokens: decimals.map((_, at): Address => `0x${"a0".repeat(19)}0${at}`),
    vault,
    balances,
    decimalScalingFactors: decimals.map((digits) => 10n ** BigInt(18 - digits)),
    rates,
    fee: random.pick(FEES),
    aggregateFee: vault === 2 ? 0n : random.pick([0n, ONE / 10n, ONE / 2n, ONE]),
    isPaused: random.chance(0.02),
    math:
      name === "weighted"
        ? drawWeights(random, vault, decimals)
        : drawStable(random, vault, tokenCount),
  };
}

/** Near one, with all digits or few. */
function drawRate(random: RandomSource): bigint {
  const part = random.pick([ONE / 10n, ONE, 5n * ONE, 10n ** 6n]);
  return random.pick([ONE, ONE * 2n, ONE + random.bigint(part), ONE / 2n + random.bigint(ONE)]);
}

function drawWeights(
  random: RandomSource,
  vault: 2 | 3,
  decimals: ReadonlyArray<number>,
): BalancerPool["math"] {
  const count = decimals.length;
  const isEven = random.chance(0.3);
  const whole = random.chance(0.5) ? PERCENT : 1n;
  // Each has one per cent; the rest is distributed.
  let rest = ONE - BigInt(count) * PERCENT;
  const weights = decimals.map((_, at) => {
    if (isEven) return ONE / BigInt(count);
    const share = at === count - 1 ? rest : (random.bigint(rest + 1n) / whole) * whole;
    rest -= share;
    return PERCENT + share;
  });
  return {
    name: "weighted",
    weights,
    powVersion: vault === 2 && random.chance(0.5) ? 1 : 2,
    minTokenBalances:
      vault === 3 && random.chance(0.5)
        ? decimals.map((digits) => 10n ** BigInt(Math.max(6, 18 - digits)))
        : undefined,
  };
}

function drawStable(random: RandomSource, vault: 2 | 3, tokenCount: number): BalancerPool["math"] {
  return {
    name: "stable",
    amp: random.chance(0.8)
      ? 1_000n * random.pick([1n, 10n, 50n, 200n, 2_000n, 5_000n, 50_000n])
      : 1_000n + random.bigint(5_000_000n),
    isFirstFormula: vault === 2 && random.chance(0.5),
    isBounded: vault === 3 && random.chance(0.5),
    bptIndex:
      vault === 2 && tokenCount > 2 && random.chance(0.5) ? random.integer(tokenCount) : undefined,
    surge:
      vault === 3 && random.chance(0.4)
        ? {
            threshold: random.pick([0n, 10n, 30n, 50n, 99n]) * PERCENT,
            max: random.pick([5n, 50n, 95n, 100n]) * PERCENT,
          }
        : undefined,
  };
}

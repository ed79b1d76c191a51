import type { SolidlyPool } from "@millrace/testing/reference";
import fc from "fast-check";
import { solidlyUnevenness } from "../../src/curves/solidlyStable/estimates.ts";
import type { SolidlyPair } from "../../src/curves/solidlyStable/math.ts";

const E18 = 10n ** 18n;

/** The pool as a swap in one direction sees it. */
export function pairOf(pool: SolidlyPool, zeroForOne: boolean): SolidlyPair {
  const sides = [
    { reserve: pool.reserve0, multiplier: 10n ** BigInt(pool.decimals0) },
    { reserve: pool.reserve1, multiplier: 10n ** BigInt(pool.decimals1) },
  ];
  if (!zeroForOne) sides.reverse();
  return {
    reserveIn: sides[0]!.reserve,
    multiplierIn: sides[0]!.multiplier,
    reserveOut: sides[1]!.reserve,
    multiplierOut: sides[1]!.multiplier,
    feePips: BigInt(pool.feePips),
    zeroForOne,
  };
}

/** Units of 18 decimals within which more input may give less. */
export function unevennessOf(pair: SolidlyPair): number {
  const x = (pair.reserveIn * E18) / pair.multiplierIn;
  const y = (pair.reserveOut * E18) / pair.multiplierOut;
  return x === 0n || y === 0n ? Number.POSITIVE_INFINITY : solidlyUnevenness(Number(x), Number(y));
}

/** As many units of the output within which it may. */
export function unitsUneven(pair: SolidlyPair): number {
  const units = unevennessOf(pair);
  const perUnit = Number(pair.multiplierOut) / 1e18;
  return perUnit > 1 ? Math.floor(units) * perUnit : Math.ceil(units * perUnit * (1 + 2 ** -40));
}

/** Dust, parts and multiples of a balance, and powers of two beyond everything. */
export function amountAbout(balance: bigint): fc.Arbitrary<bigint> {
  return fc
    .oneof(
      fc.bigInt(1n, 20n),
      fc.bigInt(1n, balance > 1n ? balance : 1n),
      fc
        .double({ min: -9, max: 2, noNaN: true })
        .map((exponent) => (balance * BigInt(Math.ceil(10 ** exponent * 2 ** 40))) >> 40n),
      fc.constantFrom(3n, 10n, 70n).map((tenths) => (balance * tenths) / 10n),
      fc.integer({ min: 0, max: 255 }).map((bits) => 1n << BigInt(bits)),
    )
    .map((amount) => (amount < 1n ? 1n : amount));
}

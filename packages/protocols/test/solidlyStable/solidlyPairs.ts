import type { SolidlyPool } from "@millrace/testing/reference";
import fc from "fast-check";
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
    feePips: BigInt(pool.fee) * 100n,
    zeroForOne,
  };
}

/** The reserves of input and output with 18 decimals, as the contract rounds them. */
export function scaledReserves(pair: SolidlyPair): readonly [bigint, bigint] {
  return [(pair.reserveIn * E18) / pair.multiplierIn, (pair.reserveOut * E18) / pair.multiplierOut];
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

import fc from "fast-check";
import type { SolidlyPool } from "./solidlyStable.ts";

const RESERVE_END = 1n << 128n;

/** 10^exponent, log-uniform. */
function tenToThe(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true }).map((exponent) => 10 ** exponent);
}

const decimals = fc.constantFrom(18, 18, 6, 6, 8, 2, 0, 24, 30);

/** A reserve of about so many tokens: at least one unit, at most the engine's limit. */
function reserveOf(tokens: number, decimals: number): bigint {
  const reserve = BigInt(Math.floor(tokens * 2 ** 40)) * 10n ** BigInt(decimals);
  const units = reserve >> 40n;
  return units < 1n ? 1n : units >= RESERVE_END ? RESERVE_END - 1n : units;
}

/**
 * Random stable pools, balanced or skewed up to a million to one. Sizes range from dust that the
 * contract's 18 decimals hardly represent to where its products overflow.
 */
export const solidlyPool: fc.Arbitrary<SolidlyPool> = fc
  .record({
    decimals0: decimals,
    decimals1: decimals,
    feePips: fc.constantFrom(0, 100, 500, 3_000, 30_000, 999_900),
    tokens: fc.oneof(
      { weight: 6, arbitrary: tenToThe(0, 9) },
      { weight: 2, arbitrary: tenToThe(-12, 0) },
      { weight: 1, arbitrary: tenToThe(9, 20) },
    ),
    skew: fc.oneof(tenToThe(-0.3, 0.3), tenToThe(-6, 6)),
  })
  .map(({ decimals0, decimals1, feePips, tokens, skew }) => ({
    decimals0,
    decimals1,
    feePips,
    reserve0: reserveOf(tokens, decimals0),
    reserve1: reserveOf(tokens * skew, decimals1),
  }));

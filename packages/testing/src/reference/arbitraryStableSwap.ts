import {
  DIVIDES_EACH,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  TAKES_UNFINISHED,
} from "@millrace/protocols";
import fc from "fast-check";
import type { StableSwapPool } from "./stableSwap.ts";

/** The rules of StableSwap-NG. */
export const NG_RULES = DIVIDES_ONCE | KEEPS_ORACLE;
const E10 = 10n ** 10n;
const E18 = 10n ** 18n;
const BALANCE_MAX = 2n ** 128n - 1n;

const tenToThe = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((exponent) => 10 ** exponent);

const rules = fc.constantFrom(
  NG_RULES,
  NG_RULES,
  DIVIDES_EACH,
  DIVIDES_EACH | TAKES_UNFINISHED,
  DIVIDES_EACH | TAKES_UNFINISHED | FEE_OF_UNITS,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
);

/** Decimals of a token, and the value of one with 18 decimals. */
const rate = fc
  .tuple(
    fc.constantFrom(18, 18, 6, 6, 8, 2, 0),
    fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, tenToThe(-0.5, 0.5)),
  )
  .map(([decimals, worth]) => 10n ** BigInt(36 - decimals - 12) * BigInt(Math.ceil(worth * 1e12)));

/** Balanced or not, with few or very many tokens, or one token drained. */
const skew = fc.oneof(
  { weight: 4, arbitrary: tenToThe(-0.3, 0.3) },
  { weight: 2, arbitrary: tenToThe(-3, 3) },
  { weight: 1, arbitrary: tenToThe(-14, 4) },
);

const fees = fc
  .record({
    fee: fc.constantFrom(0n, 1n, 500_000n, 4_000_000n, 100_000_000n, 4_999_999_999n),
    multiplier: fc.oneof(
      fc.constantFrom(0n, E10, 2n * E10, 5n * E10, 10n * E10),
      fc.bigInt(E10, 1_000n * E10),
    ),
    adminFee: fc.constantFrom(0n, E10 / 2n, E10),
  })
  .map(({ fee, multiplier, adminFee }) => ({
    fee,
    offpegFeeMultiplier: multiplier * fee < E10 * E10 ? multiplier : 2n * E10,
    adminFee,
  }));

/**
 * Random pools of so many tokens, biased towards where arithmetic breaks: skewed, drained, dust,
 * more than a contract takes.
 */
export function stableSwapPoolOf(tokenCount: number): fc.Arbitrary<StableSwapPool> {
  const each = <A>(arbitrary: fc.Arbitrary<A>) =>
    fc.array(arbitrary, { minLength: tokenCount, maxLength: tokenCount });
  return fc
    .record({
      rates: each(rate),
      skews: fc.oneof(each(tenToThe(-0.2, 0.2)), each(skew)),
      tokens: fc.oneof(
        { weight: 6, arbitrary: tenToThe(2, 9) },
        { weight: 2, arbitrary: tenToThe(-8, 2) },
        { weight: 1, arbitrary: tenToThe(9, 20) },
      ),
      A: fc.oneof(tenToThe(0, 5.9), fc.constantFrom(1, 100, 2_000)),
      aPrecision: fc.constantFrom(1n, 100n, 100n),
      fees,
      rules,
    })
    .map(({ rates, skews, tokens, A, aPrecision, fees, rules }) => ({
      rates,
      balances: rates.map((one, position) => {
        const scaled = BigInt(Math.ceil(tokens * skews[position]! * 1e12)) * 10n ** 6n;
        const balance = (scaled * E18) / one;
        return balance > BALANCE_MAX ? BALANCE_MAX : balance;
      }),
      amp: BigInt(Math.floor(A)) * aPrecision,
      aPrecision,
      rules,
      ...fees,
      ...((rules & KEEPS_ORACLE) === 0 && { offpegFeeMultiplier: 0n }),
    }));
}

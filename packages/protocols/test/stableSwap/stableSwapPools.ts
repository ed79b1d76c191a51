import { type Address, FEE_IN_STATE, NO_HASH, openMarket, type PoolShape } from "@millrace/core";
import { amountFor, type FamilyUnderTest } from "@millrace/testing/conformance";
import type { OpenPool } from "@millrace/testing/reference";
import fc from "fast-check";
import {
  DIVIDES_EACH,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
  FEE_OF_UNITS,
  KEEPS_ORACLE,
  type StableSwapPool,
  TAKES_UNFINISHED,
} from "../../src/curves/stableSwap/math.ts";
import { stableSwap } from "../../src/curves/stableSwap/pool.ts";
import { encodeStableSwap } from "../../src/curves/stableSwap/state.ts";
import { exchange, mostTaken, naiveSwap } from "./naiveStableSwap.ts";

export interface TestStableSwap extends StableSwapPool {
  readonly address: Address;
  /** Which of its tokens are swapped. */
  readonly pair: readonly [number, number];
}

export const NG = DIVIDES_ONCE | KEEPS_ORACLE;
const E10 = 10n ** 10n;
const E18 = 10n ** 18n;
const BALANCE_MAX = 2n ** 128n - 1n;

const tenToThe = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((exponent) => 10 ** exponent);

const rules = fc.constantFrom(
  NG,
  NG,
  DIVIDES_EACH,
  DIVIDES_EACH | TAKES_UNFINISHED,
  DIVIDES_EACH | TAKES_UNFINISHED | FEE_OF_UNITS,
  DIVIDES_EACH_PLUS_ONE,
  DIVIDES_ONCE,
);

/** Decimals of a token and, with 18 decimals, what one is worth. */
const rate = fc
  .tuple(
    fc.constantFrom(18, 18, 6, 6, 8, 2, 0),
    fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, tenToThe(-0.5, 0.5)),
  )
  .map(([decimals, worth]) => 10n ** BigInt(36 - decimals - 12) * BigInt(Math.ceil(worth * 1e12)));

/** Balanced or not, of a few tokens or of very many, one of them drained. */
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

/** Pools of two to eight tokens. */
export const stableSwapPool: fc.Arbitrary<TestStableSwap> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(2, 2, 3) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 8 }) },
  )
  .chain((tokenCount) => {
    const each = <A>(arbitrary: fc.Arbitrary<A>) =>
      fc.array(arbitrary, { minLength: tokenCount, maxLength: tokenCount });
    return fc.record({
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
      pair: fc.shuffledSubarray(
        Array.from({ length: tokenCount }, (_, position) => position),
        { minLength: 2, maxLength: 2 },
      ),
    });
  })
  .map(({ rates, skews, tokens, A, aPrecision, fees, rules, pair }) => ({
    address: `0x${"b0".repeat(20)}` as const,
    pair: [pair[0]!, pair[1]!] as const,
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

const directionOf = ({ pair: [first, second] }: TestStableSwap, zeroForOne: boolean) =>
  zeroForOne ? { i: first, j: second } : { i: second, j: first };

const tokenAt = (position: number): Address => `0x${"a".repeat(39)}${position}`;

export function openStableSwap(pool: TestStableSwap): OpenPool {
  const open = openMarket(1, [stableSwap]);
  const { rates, address, rules, aPrecision } = pool;
  const tokens = rates.map((_, position) => tokenAt(position));
  const listing = { address, dexId: "CURVE", curve: stableSwap.name, tokens };
  const constants = BigUint64Array.of(aPrecision);
  const dex = { id: "CURVE", name: "Curve", protocol: stableSwap.name, factory: tokenAt(9) };
  const { rejected } = open.writer.applyBlock({
    stamp: { number: 1, hash: NO_HASH, timestampMs: 0 },
    dexes: [dex],
    tokens: tokens.map((token) => ({ address: token, decimals: 18, symbol: "", name: "" })),
    pools: [{ ...listing, feePips: FEE_IN_STATE, parameter: rules, constants }],
    removedPools: [],
    states: [{ pool: address, state: encodeStableSwap(pool) }],
    swaps: [],
    supplies: [],
  });
  if (rejected.length > 0) throw new Error(`left out: ${JSON.stringify(rejected)}`);
  const index = open.graph.findPool(address)!;
  return { open, index, family: open.families[open.graph.poolCurve[index]!]! };
}

function shapeOf({ rates, rules, aPrecision }: TestStableSwap): PoolShape {
  return {
    decimals: rates.map(() => 18),
    feePips: FEE_IN_STATE,
    parameter: rules,
    constants: BigUint64Array.of(aPrecision),
  };
}

const sound: TestStableSwap = {
  address: `0x${"b0".repeat(20)}`,
  pair: [0, 2],
  balances: [10n ** 24n, 10n ** 12n, 10n ** 24n],
  rates: [E18, 10n ** 30n, E18],
  amp: 20_000n,
  aPrecision: 100n,
  fee: 4_000_000n,
  offpegFeeMultiplier: 2n * E10,
  adminFee: E10 / 2n,
  rules: NG,
};

export const stableSwapFamily: FamilyUnderTest<TestStableSwap> = {
  pool: stableSwapPool,
  open: openStableSwap,
  shapeOf,
  stateOf: encodeStableSwap,
  tokenCounts: [2, 8],
  pairOf: ({ pair }) => pair,
  after: (pool, zeroForOne, kind, amount) =>
    naiveSwap(pool, directionOf(pool, zeroForOne), kind, amount),
  limitsOf: (pool, zeroForOne) => {
    const direction = directionOf(pool, zeroForOne);
    const taken = mostTaken(pool, direction);
    return [taken, exchange(pool, direction, taken)?.dy ?? pool.balances[direction.j]!];
  },
  slack: () => 1n,
  isSmooth: true,
  cheap: (pool) => ({ ...pool, fee: pool.fee < 30_000_000n ? pool.fee : 30_000_000n }),
  unevenness: (pool, zeroForOne) => {
    if (pool.offpegFeeMultiplier <= E10) return 0;
    // All that the highest fee may take.
    return Number(pool.balances[directionOf(pool, zeroForOne).j]!);
  },
  impossible: [
    ["a fee of all", { ...sound, fee: E10, offpegFeeMultiplier: 0n }],
    ["a fee that may become all", { ...sound, fee: E10 / 2n }],
    ["an admin's part of more than all", { ...sound, adminFee: E10 + 1n }],
    ["no A", { ...sound, amp: 0n }],
    ["an A that no contract takes", { ...sound, amp: 100_000_000n }],
    ["a rate of nothing", { ...sound, rates: [E18, 0n, E18] }],
    ["a precision of A that no contract has", { ...sound, aPrecision: 10n }],
    ["rules that no contract has", { ...sound, rules: 32 }],
  ],
};

/** Amounts that matter to a balance, and any others. */
export const amountAbout = (balance: bigint): fc.Arbitrary<bigint> =>
  fc
    .oneof(
      amountFor([balance]),
      tenToThe(-9, 2).map((part) => (balance * BigInt(Math.ceil(part * 2 ** 40))) >> 40n),
      fc.constantFrom(3n, 10n, 70n).map((tenths) => (balance * tenths) / 10n),
    )
    .map((amount) => (amount < 1n ? 1n : amount));

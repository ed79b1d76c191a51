import { type Address, FEE_IN_STATE, NO_HASH, openMarket, type PoolShape } from "@millrace/core";
import { encodeStableSwap, stableSwap } from "@millrace/protocols";
import { amountFor, type FamilyUnderTest } from "@millrace/testing/conformance";
import {
  exchangeStableSwap,
  mostStableSwapTakes,
  NG_RULES,
  type OpenPool,
  type StableSwapPool,
  stableSwapPoolOf,
  swapStableSwap,
} from "@millrace/testing/reference";
import fc from "fast-check";

export interface TestStableSwap extends StableSwapPool {
  readonly address: Address;
  /** Which of its tokens are swapped. */
  readonly pair: readonly [number, number];
}

const E10 = 10n ** 10n;
const E18 = 10n ** 18n;

/** Pools of two to eight tokens. */
export const stableSwapPool: fc.Arbitrary<TestStableSwap> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(2, 2, 3) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 8 }) },
  )
  .chain((tokenCount) => {
    const positions = Array.from({ length: tokenCount }, (_, position) => position);
    return fc.tuple(
      stableSwapPoolOf(tokenCount),
      fc.shuffledSubarray(positions, { minLength: 2, maxLength: 2 }),
    );
  })
  .map(([pool, [first, second]]) => ({
    ...pool,
    address: `0x${"b0".repeat(20)}`,
    pair: [first!, second!],
  }));

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

export const sound: TestStableSwap = {
  address: `0x${"b0".repeat(20)}`,
  pair: [0, 2],
  balances: [10n ** 24n, 10n ** 12n, 10n ** 24n],
  rates: [E18, 10n ** 30n, E18],
  amp: 20_000n,
  aPrecision: 100n,
  fee: 4_000_000n,
  offpegFeeMultiplier: 2n * E10,
  adminFee: E10 / 2n,
  rules: NG_RULES,
};

export const stableSwapFamily: FamilyUnderTest<TestStableSwap> = {
  pool: stableSwapPool,
  open: openStableSwap,
  shapeOf,
  stateOf: encodeStableSwap,
  directions: ({ balances }) =>
    balances.flatMap((_in, i) => balances.flatMap((_out, j) => (i === j ? [] : [[i, j] as const]))),
  after: (pool, _zeroForOne, kind, amount, [i, j]) => swapStableSwap(pool, { i, j }, kind, amount),
  limitsOf: (pool, _zeroForOne, [i, j]) => {
    const direction = { i, j };
    const taken = mostStableSwapTakes(pool, direction);
    return [taken, exchangeStableSwap(pool, direction, taken)?.dy ?? pool.balances[j]!];
  },
  slack: () => 1n,
  isSmooth: true,
  cheap: (pool) => ({ ...pool, fee: pool.fee < 30_000_000n ? pool.fee : 30_000_000n }),
  unevenness: ({ balances, offpegFeeMultiplier }, _zeroForOne, [, j]) =>
    // All that the highest fee may take.
    offpegFeeMultiplier > E10 ? Number(balances[j]!) : 0,
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

const tenToThe = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((exponent) => 10 ** exponent);

/** Amounts that matter to a balance, and any others. */
export const amountAbout = (balance: bigint): fc.Arbitrary<bigint> =>
  fc
    .oneof(
      amountFor([balance]),
      tenToThe(-9, 2).map((part) => (balance * BigInt(Math.ceil(part * 2 ** 40))) >> 40n),
      fc.constantFrom(3n, 10n, 70n).map((tenths) => (balance * tenths) / 10n),
    )
    .map((amount) => (amount < 1n ? 1n : amount));

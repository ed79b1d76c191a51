import type { PoolShape } from "@millrace/core";
import { RandomSource } from "@millrace/testing";
import type { FamilyUnderTest } from "@millrace/testing/conformance";
import {
  type BalancerPool,
  balancerListing,
  drawBalancerPool,
  encodeBalancer,
  openBalancerPool,
  swapBalancer,
} from "@millrace/testing/reference";
import fc from "fast-check";

type StablePool = BalancerPool & { readonly math: { readonly name: "stable" } };

const ONE = 10n ** 18n;
const CHEAP_FEE = 3n * 10n ** 15n;
/** Of a token, at a rate of 1 with 18 decimals. */
const A_MILLION = 10n ** 42n;
const SKEW_MAX = 1e3;
const SIZE_MAX = 1e28;
/** Relative errors of a power, of its logarithm and as the contracts allow for it. */
const POWER_NOISE = 1e-15;
const POWER_MARGIN = 1.3e-14;

const anyPool = (name: BalancerPool["math"]["name"]): fc.Arbitrary<BalancerPool> =>
  fc.nat(2 ** 31 - 1).map((seed) => drawBalancerPool(new RandomSource(seed), name, 2));

const plain = {
  open: openBalancerPool,
  shapeOf: (pool: BalancerPool): PoolShape => {
    const { tokens, feePips, parameter, constants } = balancerListing(pool);
    return { decimals: tokens.map(() => 18), feePips, parameter, constants: constants! };
  },
  stateOf: encodeBalancer,
  after: (pool: BalancerPool, zeroForOne: boolean, kind: "exactIn" | "exactOut", amount: bigint) =>
    swapBalancer(pool, zeroForOne ? 0 : 1, zeroForOne ? 1 : 0, kind, amount),
  // The formulas of exact outputs are the contracts' own, and promise nothing of exact inputs.
  slack: () => undefined,
  isSmooth: true,
};

const weightedPool: BalancerPool = {
  address: `0x${"b0".repeat(20)}`,
  tokens: [`0x${"a0".repeat(20)}`, `0x${"a1".repeat(20)}`],
  vault: 2,
  balances: [10n ** 24n, 10n ** 24n],
  decimalScalingFactors: [1n, 1n],
  rates: [ONE, ONE],
  fee: CHEAP_FEE,
  aggregateFee: 0n,
  isPaused: false,
  math: {
    name: "weighted",
    weights: [ONE / 2n, ONE / 2n],
    powVersion: 2,
    minTokenBalances: undefined,
  },
};

const stablePool: BalancerPool = {
  ...weightedPool,
  math: {
    name: "stable",
    amp: 200_000n,
    isFirstFormula: false,
    isBounded: false,
    bptIndex: undefined,
    surge: undefined,
  },
};

export const weightedUnderTest: FamilyUnderTest<BalancerPool> = {
  ...plain,
  pool: anyPool("weighted"),
  limitsOf: (pool, zeroForOne) => {
    const [balanceIn, balanceOut] = zeroForOne ? pool.balances : [...pool.balances].reverse();
    return [(balanceIn! * 3n * ONE) / (10n * (ONE - pool.fee)), (balanceOut! * 3n) / 10n];
  },
  cheap: (pool) => ({ ...pool, fee: lesser(pool.fee, CHEAP_FEE), isPaused: false }),
  impossible: [
    ["a fee of all", { ...weightedPool, fee: ONE }],
    ["more than all of the fee taken", { ...weightedPool, aggregateFee: ONE + 1n }],
    ["a rate of 0", { ...weightedPool, rates: [0n, ONE] }],
    ["a balance that its Vault does not keep", { ...weightedPool, balances: [1n, 1n << 112n] }],
    [
      "a weight that its contract refuses",
      { ...weightedPool, math: { ...weightedPool.math, weights: [1n, ONE - 1n] } as never },
    ],
  ],
  unevenness: (pool, zeroForOne) => {
    const { y, perUnitOut } = facing(pool, zeroForOne);
    return (y * POWER_NOISE + 2) / perUnitOut + 1;
  },
  ownOutputs: (pool, zeroForOne, amountOut) => {
    const { x, y, perUnitIn, perUnitOut, left } = facing(pool, zeroForOne);
    const { weights } = pool.math as Extract<BalancerPool["math"], { name: "weighted" }>;
    const [one, other] = zeroForOne ? weights : [...weights].reverse();
    const kept = Math.max(1 - (Number(amountOut) * perUnitOut) / y, 0.6);
    const power = kept ** (-Number(other) / Number(one));
    return {
      unevenness: (x * power * POWER_NOISE + 2) / perUnitIn / left + 2,
      shortfall: (y * POWER_MARGIN + 2) / perUnitOut + 2,
    };
  },
};

export const balancerStableUnderTest: FamilyUnderTest<BalancerPool> = {
  ...plain,
  pool: anyPool("stable"),
  limitsOf: (pool, zeroForOne) => {
    const [balanceIn, balanceOut] = zeroForOne ? pool.balances : [...pool.balances].reverse();
    return [(1n << (pool.vault === 2 ? 112n : 128n)) - 1n - balanceIn!, balanceOut! - 1n];
  },
  cheap: (pool) => {
    const { math } = pool as StablePool;
    const { x, y } = facing(pool, true);
    // Beyond that a contract's rounds may end nowhere after a swap, and those of V2's first formula
    // at any skew: then there is no price.
    const most = Math.max(x, y);
    const isSkewed = !(most < SKEW_MAX * Math.min(x, y) && most < SIZE_MAX);
    return {
      ...{ ...pool, math: { ...math, surge: undefined, isFirstFormula: false }, isPaused: false },
      fee: lesser(pool.fee, CHEAP_FEE),
      ...(isSkewed && {
        balances: pool.rates.map(
          (rate, at) => A_MILLION / (rate * pool.decimalScalingFactors[at]!),
        ),
      }),
    };
  },
  impossible: [
    ["a fee of all", { ...stablePool, fee: ONE }],
    ["a rate of 0", { ...stablePool, rates: [0n, ONE] }],
    [
      "an amplification below 1",
      { ...stablePool, math: { ...stablePool.math, amp: 999n } as never },
    ],
    [
      "a surge of more than all",
      {
        ...stablePool,
        math: { ...stablePool.math, surge: { threshold: 0n, max: ONE + 1n } } as never,
      },
    ],
  ],
  unevenness: (pool, zeroForOne) => {
    if ((pool as StablePool).math.surge !== undefined) return Number.POSITIVE_INFINITY;
    const { x, y, perUnitOut } = facing(pool, zeroForOne);
    return stableNoise(pool, y / x) / perUnitOut + 1;
  },
  ownOutputs: (pool, zeroForOne, amountOut) => {
    const { x, y, perUnitIn, perUnitOut, left } = facing(pool, zeroForOne);
    const { amp, surge } = (pool as StablePool).math;
    const kept = y - Number(amountOut) * perUnitOut;
    if (surge !== undefined || !(kept > 0)) {
      return { unevenness: Number.POSITIVE_INFINITY, shortfall: Number.POSITIVE_INFINITY };
    }
    // h of the curve, and what is left of it where the product is rounded to a unit.
    const sum = x + y;
    const h = (1_000 * sum ** 3) / (8 * Number(amp) * x * kept);
    const product = (4 * x * kept) / sum;
    return {
      unevenness: stableNoise(pool, h / product) / perUnitIn / left + 2,
      // Out of balance the same rounding of the product moves what is left by more.
      shortfall: (stableNoise(pool, y / x) * Math.sqrt(1 + sum / kept)) / perUnitOut + 3,
    };
  },
};

/**
 * Units of 18 decimals by which a balance is rounded up: V2 divides before it multiplies by a
 * thousand, twice; the product of the balances is rounded once; Newton's rounds end two units off.
 */
function stableNoise({ vault }: BalancerPool, ofProduct: number): number {
  return (vault === 2 ? 2_100 : 5) + 2 * (1 + ofProduct);
}

/** Balances with 18 decimals, and what a unit counts for. */
function facing(pool: BalancerPool, zeroForOne: boolean) {
  const factors = pool.rates.map((rate, at) => rate * pool.decimalScalingFactors[at]!);
  const [from, to] = zeroForOne ? [0, 1] : [1, 0];
  return {
    x: Number((pool.balances[from]! * factors[from]!) / ONE),
    y: Number((pool.balances[to]! * factors[to]!) / ONE),
    perUnitIn: Number(factors[from]!) / 1e18,
    perUnitOut: Number(factors[to]!) / 1e18,
    left: Number(ONE - pool.fee) / 1e18,
  };
}

const lesser = (a: bigint, b: bigint) => (a < b ? a : b);

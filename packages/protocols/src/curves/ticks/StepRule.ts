import {
  furthestWordEnd,
  priceLimitX96,
  TICK_MAX,
  TICK_MIN,
  wordStepEnd,
} from "@millrace/core/pure";

/** What differs between contracts that swap along ticks: see `STEP_RULES`. */
export interface StepRule {
  /** The tick where a step from `tick` ends, `initialised` being the next initialised tick. */
  readonly stepEnd: (
    initialised: number | undefined,
    tickSpacing: number,
    tick: number,
    zeroForOne: boolean,
  ) => number;
  /** A price that no swap from `tick` gets past. */
  readonly furthestPrice: (tick: number, tickSpacing: number, zeroForOne: boolean) => bigint;
  /**
   * More steps than fit a transaction of 16,777,216 gas, the limit of EIP-7825. A longer swap
   * cannot execute, and no request can make the walk longer.
   */
  readonly stepCountMax: number;
  /** The most that a swap takes or gives, by the width of the contract's integers. */
  readonly amountMax: bigint;
  readonly feePipsMax: number;
  readonly tickSpacingMax: number;
  /** See `PoolFamily.feeFollowsSwaps`. */
  readonly feeFollowsSwaps: boolean;
  /**
   * The most gas that a swap needs with its two transfers: the swap without steps, each step, and
   * in addition each crossed tick, with both its slots of fee growth still empty.
   */
  readonly gas: { readonly swap: number; readonly step: number; readonly crossing: number };
  /**
   * What a swap typically adds to a transaction: a swap between two ticks; a change of the tick; a
   * step without a tick; one to a tick that was crossed before; what the first such tick reads.
   */
  readonly typicalGas: {
    readonly swap: number;
    readonly move: number;
    readonly word: number;
    readonly crossing: number;
    readonly firstCrossing: number;
  };
}

const PIPS = 1_000_000;

/**
 * Uniswap V3 and PancakeSwap V3: a step ends at the next initialised tick or the end of a word of
 * the tick bitmap (`TickBitmap.nextInitializedTickWithinOneWord`), whichever comes first.
 *
 * Measured on the published bytecode: an empty word costs 7,200 gas and more, 2,203 of them fit a
 * transaction; a swap within one step costs 95k to 130k. Typical gas: measured with executor and
 * Universal Router (`swapGas.test.ts`); a change of the tick writes an observation.
 */
const uniswapV3: StepRule = {
  ...wordSteps(2_250),
  amountMax: (1n << 255n) - 1n,
  feePipsMax: PIPS - 1,
  tickSpacingMax: 16_383,
  feeFollowsSwaps: false,
  gas: { swap: 150_000, step: 8_100, crossing: 58_000 },
  typicalGas: { swap: 56_000, move: 6_700, word: 7_300, crossing: 23_000, firstCrossing: 7_000 },
};

/**
 * Uniswap V4: the same steps, amounts of an int128 (`BalanceDelta`), any fee up to all of an input
 * (`LPFeeLibrary`), and no observations.
 *
 * Measured likewise: an empty word costs 5,600 gas and more, 2,980 of them fit; a tick 16,100, and
 * 17,100 on top for each slot of fee growth that is empty.
 */
const uniswapV4: StepRule = {
  ...wordSteps(3_200),
  amountMax: (1n << 127n) - 1n,
  feePipsMax: PIPS,
  tickSpacingMax: 32_767,
  feeFollowsSwaps: false,
  gas: { swap: 150_000, step: 6_500, crossing: 46_000 },
  typicalGas: { swap: 68_000, move: 0, word: 5_700, crossing: 16_100, firstCrossing: 0 },
};

/**
 * Algebra Integral: a step leads to the next initialised tick, however far; reserves are uint128.
 * Ticks may stand where an earlier spacing allowed them.
 *
 * Measured likewise: a tick costs 10,600 gas and more where there is no fee, 1,570 of them fit; a
 * crossed one 16,300; a swap 106k, and 158k with the plugin that sets its fee.
 */
const algebraIntegral: StepRule = {
  stepEnd: (initialised, _tickSpacing, _tick, zeroForOne) =>
    initialised ?? (zeroForOne ? TICK_MIN : TICK_MAX),
  furthestPrice: (_tick, _tickSpacing, zeroForOne) => priceLimitX96(zeroForOne),
  stepCountMax: 1_750,
  amountMax: (1n << 128n) - 1n,
  feePipsMax: PIPS - 1,
  tickSpacingMax: 500,
  feeFollowsSwaps: false,
  gas: { swap: 250_000, step: 12_000, crossing: 40_000 },
  typicalGas: { swap: 114_000, move: 0, word: 10_600, crossing: 16_300, firstCrossing: 0 },
};

/**
 * Slipstream: V3's steps, for more gas: each asks the factory for the fee, and a crossed tick
 * updates its gauge's rewards. Gas by the snapshots of its repository. A module may charge by how
 * far the tick has moved.
 */
const slipstream: StepRule = {
  ...uniswapV3,
  feeFollowsSwaps: true,
  gas: { swap: 260_000, step: 24_000, crossing: 90_000 },
  typicalGas: {
    swap: 115_000,
    move: 20_000,
    word: 22_000,
    crossing: 40_000,
    firstCrossing: 0,
  },
};

/** Index: the first of a pool's constants. A pool without constants swaps as Uniswap V3 does. */
export const STEP_RULES: ReadonlyArray<StepRule> = [
  uniswapV3,
  uniswapV4,
  algebraIntegral,
  slipstream,
];

export const UNISWAP_V4_STEPS = 1n;
export const ALGEBRA_INTEGRAL_STEPS = 2n;
export const SLIPSTREAM_STEPS = 3n;

function wordSteps(
  stepCountMax: number,
): Pick<StepRule, "stepEnd" | "furthestPrice" | "stepCountMax"> {
  return {
    stepEnd: wordStepEnd,
    furthestPrice: (tick, tickSpacing, zeroForOne) =>
      furthestWordEnd(tick, tickSpacing, zeroForOne, stepCountMax),
    stepCountMax,
  };
}

import { TICK_MAX, tickAtSqrtRatio } from "@millrace/core";
import type { Random } from "./Random.ts";

/** Share of the value over the whole range, so that a pool always has a price. */
const FULL_RANGE_SHARE = 0.1;
const POSITION_COUNT_MAX = 200;
/** Half-width of the widest of the narrow positions, in tick spacings. */
const HALF_WIDTH_MAX = 80;
/** √1.0001 − 1: the change of √price per tick. */
const SQRT_STEP = 0.00005;
const Q96 = Number(1n << 96n);

export interface TickBook {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
}

/**
 * The book of a pool whose liquidity providers hold overlapping positions around the price: one
 * over the whole range, and narrow ones, each the denser the narrower it is.
 *
 * `reserve0` and `reserve1` are what the pool would hold at this price if all of it were full
 * range.
 */
export function generateTickBook(
  random: Random,
  reserve0: number,
  reserve1: number,
  tickSpacing: number,
): TickBook {
  const sqrtPriceX96 = BigInt(Math.floor(Math.sqrt(reserve1 / reserve0) * Q96));
  const tick = tickAtSqrtRatio(sqrtPriceX96);
  const fullLiquidity = Math.sqrt(reserve0) * Math.sqrt(reserve1);
  const netByTick = new Map<number, bigint>();
  let liquidity = 0n;
  const addPosition = (lower: number, upper: number, amount: bigint) => {
    netByTick.set(lower, (netByTick.get(lower) ?? 0n) + amount);
    netByTick.set(upper, (netByTick.get(upper) ?? 0n) - amount);
    if (lower <= tick && tick < upper) liquidity += amount;
  };

  const widest = Math.floor(TICK_MAX / tickSpacing) * tickSpacing;
  addPosition(-widest, widest, atLeastOne(fullLiquidity * FULL_RANGE_SHARE));
  const count = Math.min(POSITION_COUNT_MAX, Math.floor(2 * random.heavyTailed()));
  const share = (1 - FULL_RANGE_SHARE) / count;
  for (let position = 0; position < count; position++) {
    const halfWidth = tickSpacing * (1 + random.below(HALF_WIDTH_MAX));
    // Most positions were opened around an earlier price, which is not far from today's.
    const shift = Math.floor(random.between(-1.2, 1.2) * halfWidth);
    const middle = Math.floor((tick + shift) / tickSpacing) * tickSpacing;
    const lower = Math.max(middle - halfWidth, -widest);
    const upper = Math.min(middle + halfWidth, widest);
    const concentration = 1 / (halfWidth * SQRT_STEP) + 1;
    addPosition(lower, upper, atLeastOne(fullLiquidity * share * concentration));
  }

  const ticks = [...netByTick].filter(([, liquidityNet]) => liquidityNet !== 0n);
  ticks.sort(([a], [b]) => a - b);
  return { sqrtPriceX96, tick, liquidity, ticks };
}

function atLeastOne(amount: number): bigint {
  return BigInt(Math.max(1, Math.floor(amount)));
}

import { priceLimitX96, sqrtRatioAtTick, TICK_MAX, TICK_MIN } from "./tickMath.ts";

/** Uniswap V3's `TickBitmap`: one bit for each tick that the spacing allows, 256 to a word. */
const TICKS_A_WORD_BITS = 8;

/**
 * The tick where a step from `tick` ends: the next initialised one, at or below `tick` when the
 * price falls, above it when it rises, but no further than the end of the bitmap's word.
 */
export function wordStepEnd(
  initialised: number | undefined,
  tickSpacing: number,
  tick: number,
  zeroForOne: boolean,
): number {
  const compressed = Math.floor(tick / tickSpacing);
  if (zeroForOne) {
    const wordStart = (compressed >> TICKS_A_WORD_BITS) << TICKS_A_WORD_BITS;
    return Math.max(initialised ?? TICK_MIN, wordStart * tickSpacing, TICK_MIN);
  }
  const wordEnd = (((compressed + 1) >> TICKS_A_WORD_BITS) << TICKS_A_WORD_BITS) + 255;
  return Math.min(initialised ?? TICK_MAX, wordEnd * tickSpacing, TICK_MAX);
}

/**
 * A price that no swap of `stepCount` steps from `tick` passes: the end of its last word, or the
 * contract's limit.
 */
export function furthestWordEnd(
  tick: number,
  tickSpacing: number,
  zeroForOne: boolean,
  stepCount: number,
): bigint {
  const compressed = Math.floor(tick / tickSpacing);
  if (zeroForOne) {
    const word = (compressed >> TICKS_A_WORD_BITS) - stepCount + 1;
    const last = (word << TICKS_A_WORD_BITS) * tickSpacing;
    return last <= TICK_MIN ? priceLimitX96(zeroForOne) : sqrtRatioAtTick(last);
  }
  const word = ((compressed + 1) >> TICKS_A_WORD_BITS) + stepCount - 1;
  const last = ((word << TICKS_A_WORD_BITS) + 255) * tickSpacing;
  return last >= TICK_MAX ? priceLimitX96(zeroForOne) : sqrtRatioAtTick(last);
}

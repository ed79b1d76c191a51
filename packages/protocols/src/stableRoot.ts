const UINT256_MAX = (1n << 256n) - 1n;
const ROOT_LEAST = 32n;
const SURPLUS_LEAST = 17n;
const STEPS_MAX = 4;

/** Stands for a root that only the contract's own rounds can find. */
export const UNCERTAIN_ROOT = -2n;

/**
 * The floor r of the positive root y* of f(y) = y² + l·y − c, where r surely determines the result
 * of a stable pool's contract, which makes Newton's rounds from D = `start`: r where they round
 * down (Curve), r + 1 where they round up (Balancer). Otherwise UNCERTAIN_ROOT.
 *
 * Let s = 2y* + l = y* + c/y* ≥ y*. A step from y* + e leads to y* + e²/(s + 2e), rounded: that is
 * never below r, and from above it halves the distance at least, so 255 rounds are enough for 128
 * bits. The rounds end where a step changes y by one at most, which takes e ≤ 4; so they end at y*
 * + e', e' ≤ 16/s, rounded. No integer is above y* and not above that where f(r + 1) ≥ 17 and s ≥
 * 32, since f(r + 1) is at most (r + 1 − y*)·(s + 1). Where r < D the rounds come from above, and
 * no number is wider than D² + c. `startSquare` is D².
 */
export function certainRoot(start: bigint, startSquare: bigint, l: bigint, c: bigint): bigint {
  if (startSquare + c > UINT256_MAX) return UNCERTAIN_ROOT;
  const [linear, constant] = [Number(l), Number(c)];
  const s = Math.sqrt(linear * linear + 4 * constant);
  if (s < Number(ROOT_LEAST)) return UNCERTAIN_ROOT;
  const estimate = linear > 0 ? (2 * constant) / (linear + s) : (s - linear) / 2;
  let y = BigInt(Math.floor(estimate));
  let value = y * (y + l) - c;
  const step = BigInt(Math.round(Number(value) / s));
  if (step !== 0n) {
    value += step * (step - y - y - l);
    y -= step;
  }
  let rise = y + y + 1n + l; // f(y + 1) − f(y)
  for (let moved = 0; moved < STEPS_MAX; moved++) {
    if (value > 0n) {
      y -= 1n;
      rise -= 2n;
      value -= rise;
    } else if (value + rise <= 0n) {
      value += rise;
      y += 1n;
      rise += 2n;
    } else {
      const isSure = y >= ROOT_LEAST && y < start && value + rise >= SURPLUS_LEAST;
      return isSure ? y : UNCERTAIN_ROOT;
    }
  }
  return UNCERTAIN_ROOT;
}

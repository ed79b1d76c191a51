/** Which edges to collect. Rates are units of the goal's token per unit of the origin's. */
export interface EdgeTerms {
  readonly origin: number;
  readonly goal: number;
  readonly maxHops: number;
  /** The least that the last unit of each path will give; 0 when nothing is known. */
  readonly floorRate: number;
  /** About the output; 0 when nothing is known. */
  readonly output: number;
}

/** An edge is of use that could add this part of the output at the floor, */
const GAIN_MIN = 1e-7;
/** and one that could carry this part of it. */
const SHARE_MIN = 1e-4;

/**
 * Whether an edge is of use between the best ways from the origin, at rate `before`, and to the
 * goal, at rate `after`, all of them as deep as possible. `x` is of its leading piece, `rate` that
 * of its first unit.
 *
 * With x counted at the origin and r = before × rate × after, it gains x × (√r − √floor)² over the
 * floor, which lies between x × (r − floor)² / 4r and x × (r − floor)² / 4 floor. It gives about
 * x × (r − floor) / 2 until its last unit brings the floor: a flat edge gains next to nothing, but
 * without it the rate of all others may fall far below the floor.
 */
export function isOfUse(
  { floorRate, output }: EdgeTerms,
  before: number,
  rate: number,
  after: number,
  x: number,
): boolean {
  const whole = before * rate * after;
  const more = whole - floorRate;
  if (!(more > 0)) return false;
  const least = Math.min((4 * whole * GAIN_MIN) / more, 2 * SHARE_MIN);
  return x * more >= least * output * before;
}

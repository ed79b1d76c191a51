import { CURVE_STRIDE, ESTIMATE_ERROR, type PoolFamily } from "../Curve.ts";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { HOPS_MAX } from "../search/quote.ts";
import type { CyclePath } from "./CyclePath.ts";

/** The search for the peak ends at two amounts whose profits differ by at most this part. */
const PEAK_ERROR = 2 ** -34;
/** The part that float rounding of the amounts themselves can change. */
const FLOAT_ERROR = 2 ** -48;
/** The search looks for the other side of a peak this close to it. */
const PROBE = 2 ** -24;
/** The search looks at a piece's end from this close. */
const AT_END = 2 ** -40;
/** Amounts are below 2^256: halving a bracket of them to the last float takes 8 + 53 rounds. */
const ROUNDS_MAX = 256;
const BISECT_EVERY = 4;
const AMOUNT_END = 2 ** 256;

/**
 * The output of several pools in sequence, in floats. Each is concave and rising, and so is the
 * whole. Where each pool stays within one piece, y × r / (x + r), the whole is such a piece too,
 * and 1 / √(marginal rate) is a straight line: Newton's method finds the amount where the rate has
 * fallen to a given one at once, and over several pieces in a few steps.
 */
export class CycleCurve {
  readonly #graph: PoolGraph;
  readonly #families: ReadonlyArray<PoolFamily>;
  readonly #piece = new Float64Array(CURVE_STRIDE);

  // Results of `#at`.
  #output = 0;
  #rate = 0;
  #bend = 0;
  /** No piece ends before this amount. */
  #end = 0;
  /** The input of each pool at the peak, by hop. */
  readonly peakAmounts = new Float64Array(HOPS_MAX);

  constructor(graph: PoolGraph, families: ReadonlyArray<PoolFamily>) {
    this.#graph = graph;
    this.#families = families;
  }

  /** Output for input at the current prices. */
  firstRate(path: CyclePath): number {
    this.#at(path, 0);
    return this.#rate;
  }

  /**
   * An upper bound of output × `worth` − input over all inputs, apart from what rounding gives to
   * the trader. Leaves the amounts at the peak in `peakAmounts`.
   */
  peakProfit(path: CyclePath, worth: number): number {
    const raised = worth * (1 + ESTIMATE_ERROR) ** path.pools.length;
    let low = 0;
    let lowOutput = 0;
    let high = Number.POSITIVE_INFINITY;
    this.#at(path, 0);
    let lowRate = this.#rate * raised;
    if (!(lowRate > 1)) return 0;
    let lowEnd = this.#end;
    let amount = this.#newton(0, raised);
    for (let round = 1; round <= ROUNDS_MAX; round++) {
      this.#at(path, amount);
      const rate = this.#rate * raised;
      if (rate > 1) {
        low = amount;
        lowOutput = this.#output * raised;
        lowRate = rate;
        lowEnd = this.#end;
      } else {
        high = amount;
      }
      const error = (lowRate - 1) * (high - low);
      if (error <= Math.max((lowOutput - low) * PEAK_ERROR, lowOutput * FLOAT_ERROR)) break;
      const next = this.#newton(amount, raised);
      // Close enough on this side: the next amount should be on the other.
      const nudged = rate > 1 ? next * (1 + PROBE) : next * (1 - PROBE);
      amount = Math.abs(next - amount) <= PROBE * amount ? nudged : next;
      const isLost = rate === 0 || !(amount > low && amount < high);
      if (isLost) amount = besideEnd(low, lowEnd);
      if (round % BISECT_EVERY === 0 || !(amount > low && amount < high)) {
        amount = between(low, high);
        if (!(amount > low && amount < high)) break;
      }
    }
    this.#at(path, low);
    return lowOutput - low + (high < AMOUNT_END ? (lowRate - 1) * (high - low) : 0);
  }

  /** The amount where rate × `raised` would be 1 if the pieces at `amount` went on. */
  #newton(amount: number, raised: number): number {
    return amount + (Math.sqrt(this.#rate * raised) - 1) / this.#bend;
  }

  #at(path: CyclePath, amountIn: number): void {
    const piece = this.#piece;
    let amount = amountIn;
    let rate = 1;
    let bend = 0;
    let room = Number.POSITIVE_INFINITY;
    for (let hop = 0; hop < path.pools.length; hop++) {
      const pool = path.pools[hop]!;
      const positions = path.positions[hop]!;
      const family = this.#families[this.#graph.poolCurve[pool]!]!;
      this.peakAmounts[hop] = amount;
      family.pieceAt(pool, positions >> 3, positions & 7, amount, piece, 0);
      const x = piece[0]!;
      const y = piece[1]!;
      const rest = Math.max(amount - piece[3]!, 0);
      bend += rate / (x + rest);
      room = Math.min(room, (piece[2]! - rest) / rate); // later, less comes out per unit
      rate *= (x / (x + rest)) * (y / (x + rest));
      amount = piece[4]! + (y * rest) / (x + rest);
    }
    this.#output = amount;
    this.#rate = rate;
    this.#bend = bend;
    this.#end = amountIn + room;
  }
}

/** Just before the end of a piece, where the rate may drop, or just behind it. */
function besideEnd(amount: number, end: number): number {
  const before = end * (1 - AT_END);
  return before > amount * (1 + AT_END) ? before : end * (1 + AT_END);
}

/** The middle of two amounts of any magnitude. */
function between(low: number, high: number): number {
  if (high === Number.POSITIVE_INFINITY) return Math.max(2 * low, 1);
  if (low === 0) return high * 2 ** -16;
  return high > 4 * low ? Math.sqrt(low) * Math.sqrt(high) : (low + high) / 2;
}

import { allocate, grown } from "../../graph/buffers.ts";
import type { QuoteKind } from "../quote.ts";
import type { PathFlows } from "./PathFlows.ts";

/** The side of all paths together that is given: the input, or the output. */
export interface FlowTarget {
  readonly kind: QuoteKind;
  readonly amount: number;
}

/** How close is close enough. */
export interface Precision {
  /** The most rounds. */
  readonly rounds: number;
  /**
   * The relative difference that the last units' rates may keep: the loss is far less than that.
   */
  readonly tolerance: number;
}

const DAMPING_MIN = 2 ** -8;
/** The most by which a round changes the common rate. */
const CHANGE_MAX = 2 ** 20;
/** Two steps with a cosine above this have the same direction. */
const ALIKE = 0.98;
/** The most and the fewest steps of one direction that are taken at once. */
const LEAP_MAX = 2 ** 8;
const LEAP_MIN = 2;
/** Only paths that meet the target this closely are compared by their output. */
const LEAP_TOLERANCE = 1e-3;
/** A merit that is less by this part of the output counts as equal. */
const NOISE = 1e-13;
/** The target itself is met this closely; integers do the rest. */
const TARGET_TOLERANCE = 1e-9;

/**
 * Moves the amounts of paths until the last unit of each gives the same, the *common rate*: the
 * optimum for these paths, since a path's output is concave (Karush, Kuhn, Tucker). Each round
 * treats every path as a curve of its own with gradient g and depth d: a further input a gives g ×
 * d × a / (d + a), and the rate is r at a = d × (√(g / r) − 1). At the common rate, all together
 * meet the target. Amounts stay between zero and the path's bound. Steps that hardly change from
 * round to round are taken many at once.
 */
export class FlowSettler {
  readonly #flows: PathFlows;
  // Index: path.
  #before = allocate(Float64Array, 0);
  #step = allocate(Float64Array, 0); // of the round before
  #bound = allocate(Float64Array, 0);

  /** The common rate of the last settled state. */
  rate = 0;

  constructor(flows: PathFlows) {
    this.#flows = flows;
  }

  settle(target: FlowTarget, { rounds, tolerance }: Precision): void {
    const flows = this.#flows;
    const { count } = flows;
    this.#before = grown(Float64Array, this.#before, count);
    this.#step = grown(Float64Array, this.#step, count).fill(0);
    this.#bound = grown(Float64Array, this.#bound, count);
    let damping = 1;
    flows.run();
    for (let round = 0; round < rounds; round++) {
      this.rate = this.#commonRate(target);
      // Every path is full: nothing can move.
      if (this.rate === 0) return;
      if (this.#isSettled(target, tolerance)) return;
      // Whatever the target, a step is good if it gains more than its input is worth at the rate.
      const merit = this.#merit();
      this.#before.set(flows.amountIn.subarray(0, count));
      this.#move(damping);
      flows.run();
      while (damping > DAMPING_MIN && this.#merit() < merit - NOISE * flows.totalOut) {
        damping /= 2;
        for (let path = 0; path < count; path++) {
          flows.amountIn[path] = (flows.amountIn[path]! + this.#before[path]!) / 2;
        }
        flows.run();
      }
      if (damping === 1 && this.#meets(target, LEAP_TOLERANCE)) this.#leap();
      else this.#step.fill(0);
      damping = Math.min(1, damping * 1.5);
    }
  }

  /** The output beyond the worth of the input at the common rate. */
  #merit(): number {
    return this.#flows.totalOut - this.rate * this.#flows.totalIn;
  }

  /**
   * Takes many steps like the last one at once, if each is smaller than the one before by the same
   * part: the sum of a geometric series (Aitken's delta-squared process). Otherwise paths that
   * share a pool, and differ in pools that are nearly flat, would take hundreds of rounds.
   */
  #leap(): void {
    const flows = this.#flows;
    const steps = this.#stepsAtOnce();
    if (steps < LEAP_MIN) return;
    const merit = this.#merit();
    const { bound, count } = flows;
    this.#bound.set(bound.subarray(0, count));
    this.#take(steps);
    flows.run();
    if (!(this.#merit() > merit)) {
      bound.set(this.#bound.subarray(0, count));
      this.#take(1);
      flows.run();
    }
    // The next step is not a smaller one of the same kind.
    this.#step.fill(0);
  }

  /** Notes the last step, and returns how many like it are to come, including itself. */
  #stepsAtOnce(): number {
    const { amountIn, count } = this.#flows;
    const [before, step] = [this.#before, this.#step];
    let product = 0;
    let square = 0;
    let lastSquare = 0;
    for (let path = 0; path < count; path++) {
      const last = step[path]!;
      const moved = amountIn[path]! - before[path]!;
      product += moved * last;
      square += moved * moved;
      lastSquare += last * last;
      step[path] = moved;
    }
    const isAlike = product > ALIKE * Math.sqrt(square) * Math.sqrt(lastSquare);
    return isAlike ? 1 / Math.max(1 - product / lastSquare, 1 / LEAP_MAX) : 1;
  }

  /** Takes `steps` times the noted step, within the bounds. */
  #take(steps: number): void {
    const { amountIn, bound, count } = this.#flows;
    for (let path = 0; path < count; path++) {
      const moved = this.#before[path]! + steps * this.#step[path]!;
      amountIn[path] = Math.min(Math.max(moved, 0), bound[path]!);
    }
  }

  #meets({ kind, amount }: FlowTarget, tolerance: number): boolean {
    const { totalIn, totalOut } = this.#flows;
    const reached = kind === "exactIn" ? totalIn : totalOut;
    return Math.abs(reached - amount) <= tolerance * amount;
  }

  #isSettled(target: FlowTarget, tolerance: number): boolean {
    if (!this.#meets(target, TARGET_TOLERANCE)) return false;
    const { amountIn, bound, count, gradient } = this.#flows;
    for (let path = 0; path < count; path++) {
      const excess = gradient[path]! / this.rate - 1;
      if (excess > tolerance && amountIn[path]! < bound[path]!) return false;
      if (excess < -tolerance && amountIn[path]! > 0) return false;
    }
    return true;
  }

  #commonRate({ kind, amount }: FlowTarget): number {
    const { amountIn, bound, count, depth, gradient, totalIn, totalOut } = this.#flows;
    const isIn = kind === "exactIn";
    // Far from the target there may be no such rate, or nearly none: a round is limited. Where all
    // paths were full, the last rate is next to nothing, and says nothing of new ones.
    const from = Math.max(this.rate, this.#steepest() / CHANGE_MAX);
    let rate = this.rate;
    // Which paths end at zero or at their bound depends on the rate; it settles in a few rounds.
    for (let attempt = 0; attempt < 5; attempt++) {
      let missing = isIn ? amount - totalIn : amount - totalOut;
      let sum = 0;
      let sumOfRoots = 0;
      for (let path = 0; path < count; path++) {
        const d = depth[path]!;
        const g = gradient[path]!;
        const more = attempt === 0 ? 0 : d * (Math.sqrt(g / rate) - 1);
        const least = -amountIn[path]!;
        const most = bound[path]! + least;
        if (more < least || more > most) {
          const taken = more < least ? Math.max(least, -0.9 * d) : most;
          missing -= isIn ? taken : (g * d * taken) / (d + taken);
          continue;
        }
        sum += isIn ? d : d * g;
        sumOfRoots += d * Math.sqrt(g);
      }
      const root = isIn ? sumOfRoots / (missing + sum) : (sum - missing) / sumOfRoots;
      const wanted = root > 0 ? root * root : isIn && sumOfRoots > 0 ? Number.POSITIVE_INFINITY : 0;
      const next = Math.min(Math.max(wanted, from / CHANGE_MAX), from * CHANGE_MAX);
      const isSame = attempt > 0 && Math.abs(next - rate) <= 1e-12 * rate;
      rate = next;
      if (isSame) break;
    }
    return rate;
  }

  #steepest(): number {
    const { count, gradient } = this.#flows;
    let steepest = 0;
    for (let path = 0; path < count; path++) steepest = Math.max(steepest, gradient[path]!);
    return steepest;
  }

  #move(damping: number): void {
    const { amountIn, bound, count, depth, gradient } = this.#flows;
    for (let path = 0; path < count; path++) {
      const more = depth[path]! * (Math.sqrt(gradient[path]! / this.rate) - 1);
      const moved = amountIn[path]! + damping * more;
      amountIn[path] = Math.min(Math.max(moved, 0), bound[path]!);
    }
  }
}

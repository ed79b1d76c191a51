import type { FlowTarget } from "./FlowSettler.ts";
import type { LayerSweeps } from "./LayerSweeps.ts";
import { Momentum } from "./Momentum.ts";

/** The flow of the first sweep, as a part of the whole, and its growth factor per sweep. */
const RAMP_START = 1 / 4;
const RAMP_FACTOR = 4;
const SWEEPS_MAX = 120;

/**
 * A flow from the origin to the goal through any number of candidate edges. It has layers, by the
 * number of edges passed: an edge that several layers use has an amount in each, and one curve.
 */
export class LayeredFlow {
  readonly #sweeps: LayerSweeps;

  constructor(sweeps: LayerSweeps) {
    this.#sweeps = sweeps;
  }

  get totalIn(): number {
    return this.#sweeps.totalIn;
  }

  /** Input by layer and edge. Index: layer × edges + edge. */
  get amounts(): Float64Array {
    return this.#sweeps.amounts;
  }

  /**
   * Finds the flow for a target, with about `amountIn`; returns its relative last change. Two
   * sweeps in a row that change it by at most `changeMin` are the last.
   */
  solve(
    maxHops: number,
    { kind, amount }: FlowTarget,
    amountIn: number,
    changeMin: number,
  ): number {
    const sweeps = this.#sweeps;
    const isIn = kind === "exactIn";
    const momentum = new Momentum();
    let part = RAMP_START;
    let changed = Number.POSITIVE_INFINITY;
    let before = { in: 0, out: 0 };
    sweeps.begin(maxHops);
    sweeps.totalIn = part * amountIn;
    for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
      if (part === 1) momentum.grow();
      sweeps.backward();
      sweeps.forward(momentum.part);
      if (!(sweeps.totalOut > 0)) return Number.POSITIVE_INFINITY;
      const now = { in: sweeps.totalIn, out: sweeps.totalOut };
      if (now.out - before.out < sweeps.rate * (now.in - before.in)) momentum.restart();
      const missed = Math.abs((isIn ? now.in : now.out) - amount) / amount;
      const moved = isIn ? now.out / before.out : now.in / before.in;
      const changedBefore = changed;
      changed = Math.max(Math.abs(moved - 1), missed);
      if (changed <= changeMin && changedBefore <= changeMin) return changed;
      before = now;
      part = Math.min(1, part * RAMP_FACTOR);
      sweeps.totalIn = isIn ? part * amount : this.#inputFor(part * amount);
    }
    return changed;
  }

  /** The input for an output, of which a sweep has given some. */
  #inputFor(output: number): number {
    const { totalIn, totalOut } = this.#sweeps;
    const wanted = this.#sweeps.inputForMore(output - totalOut);
    return Math.min(Math.max(wanted, totalIn / RAMP_FACTOR), totalIn * 2 * RAMP_FACTOR);
  }
}

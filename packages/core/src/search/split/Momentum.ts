/** The first sweeps change most of the flow, which says nothing about where it goes next. */
const SWEEPS_BEFORE = 4;
/** The part of a move that is repeated grows with every sweep, as in Nesterov's method. */
const GROWTH = 3;
const PART_MAX = 0.8;

/**
 * Sweeps that repeat a part of their last moves reach the optimum sooner: where the flow goes
 * slowly, it goes on in the same direction for long. The part begins at zero again where a sweep
 * went too far (O'Donoghue and Candès, "Adaptive restart for accelerated gradient schemes", 2015).
 */
export class Momentum {
  /** The part of its last move that an amount moves again. */
  part = 0;
  #sweeps = -SWEEPS_BEFORE;

  /** To be called before each sweep. */
  grow(): void {
    this.#sweeps++;
    const count = Math.max(0, this.#sweeps);
    this.part = Math.min(PART_MAX, count / (count + GROWTH));
  }

  /** The last sweep made the flow worse. */
  restart(): void {
    if (this.#sweeps > 0) this.#sweeps = -1;
  }
}

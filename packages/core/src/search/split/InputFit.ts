/** A pool is filled a hair below its capacity, so that rounding cannot take it past. */
const FILLED = 1 - 2 ** -30;
/** Number of cuts after which a path is dropped. */
const CUTS_MAX = 40;
/** How close to the most that fits is close enough, and how many inputs are tried for that. */
const CLOSE = 1 + 2 ** -10;
const TRIES_MAX = 8;
const SLIGHTLY_LESS = 1 - 2 ** -20;

/**
 * Searches for the most input of a path that overfills no pool: cuts it until it fits, then looks
 * between that and the last one that did not.
 */
export class InputFit {
  /** Whether to look for more after cuts that may have been too much. */
  isClose = true;
  #fits = 0;
  #overfills = 0;
  #cuts = 0;
  #cutAt = 0;
  #power = 1;
  #tries = 0;

  begin(): void {
    this.#fits = 0;
    this.#cuts = 0;
    this.#cutAt = -1;
    this.#power = 1;
    this.#tries = 0;
  }

  /** The next input to try after one that fits; undefined where that is close enough. */
  afterFit(tried: number): number | undefined {
    if (!this.isClose || this.#power === 1 || this.#tries >= TRIES_MAX) return undefined;
    if (tried === 0 || this.#overfills < tried * CLOSE) return undefined;
    this.#fits = tried;
    return this.#between();
  }

  /** The next input to try after one of which the pool at a place takes only this part. */
  afterOverfill(tried: number, at: number, part: number): number {
    this.#overfills = tried;
    if (this.#cuts++ >= CUTS_MAX) return 0;
    if (this.#fits > 0) return this.#between();
    // A part less gives at most that part less at a later pool, since curves are concave, and far
    // less behind a nearly drained pool: each further cut for a pool counts double.
    this.#power = at === this.#cutAt ? 2 * this.#power : 1;
    this.#cutAt = at;
    return tried * (part * FILLED) ** this.#power;
  }

  #between(): number {
    if (this.#tries++ < TRIES_MAX) return Math.sqrt(this.#fits * this.#overfills);
    // At the edge of a piece, an input that fitted may not fit when it is tried again.
    if (this.#overfills <= this.#fits) this.#fits *= SLIGHTLY_LESS;
    return this.#fits;
  }
}

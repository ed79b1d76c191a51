/** Limits a second of traces to some hundred kilobytes, whatever the load. */
const PER_SECOND_MAX = 100;

/**
 * Which requests and blocks are traced: a random part, which no client can choose, and at most as
 * many a second as a collector can bear.
 */
export class Sample {
  readonly #ratio: number;
  #second = 0;
  #taken = 0;

  /** From 0, none, to 1, all. */
  constructor(ratio: number) {
    this.#ratio = ratio;
  }

  takes(): boolean {
    if (Math.random() >= this.#ratio) return false;
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    return this.#taken++ < PER_SECOND_MAX;
  }
}

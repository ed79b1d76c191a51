import { allocate, grown } from "../../graph/buffers.ts";

/** Numbered items, the one with the greatest gain on top (a binary heap). */
export class GainHeap {
  size = 0;
  // Index: place.
  #items = allocate(Uint32Array, 0);
  #gains = allocate(Float64Array, 0);

  /** Removes all items, and makes room for `count`. */
  clear(count: number): void {
    this.#items = grown(Uint32Array, this.#items, count);
    this.#gains = grown(Float64Array, this.#gains, count);
    this.size = 0;
  }

  get top(): number {
    return this.#items[0]!;
  }

  get topGain(): number {
    return this.#gains[0]!;
  }

  push(item: number, gain: number): void {
    let place = this.size++;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.#gains[above]! >= gain) break;
      this.#items[place] = this.#items[above]!;
      this.#gains[place] = this.#gains[above]!;
      place = above;
    }
    this.#items[place] = item;
    this.#gains[place] = gain;
  }

  pop(): void {
    const last = --this.size;
    if (last > 0) this.#sink(this.#items[last]!, this.#gains[last]!);
  }

  /** Sets another gain for the top item. */
  replaceTop(gain: number): void {
    this.#sink(this.#items[0]!, gain);
  }

  #sink(item: number, gain: number): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.size) break;
      if (below + 1 < this.size && this.#gains[below + 1]! > this.#gains[below]!) below++;
      if (this.#gains[below]! <= gain) break;
      this.#items[place] = this.#items[below]!;
      this.#gains[place] = this.#gains[below]!;
      place = below;
    }
    this.#items[place] = item;
    this.#gains[place] = gain;
  }
}

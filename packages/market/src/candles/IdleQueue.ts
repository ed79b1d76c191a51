/**
 * Records by the time of their last trade. Times only grow, and a trade costs nothing here: a
 * record is put in its right place when it reaches the top, so that only eviction pays.
 */
export class IdleQueue {
  readonly #heap: Uint32Array; // records; parent of position p: (p − 1) >> 1
  readonly #keys: Uint32Array; // index: record; its time when it was last placed
  readonly #times: Uint32Array;
  #count = 0;

  /** `times`: the time of the last trade in seconds, by record. */
  constructor(times: Uint32Array) {
    this.#times = times;
    this.#heap = new Uint32Array(times.length);
    this.#keys = new Uint32Array(times.length);
  }

  get count(): number {
    return this.#count;
  }

  add(record: number): void {
    const time = this.#times[record]!;
    this.#keys[record] = time;
    let position = this.#count++;
    for (; position > 0; position = (position - 1) >> 1) {
      const parent = this.#heap[(position - 1) >> 1]!;
      if (this.#keys[parent]! <= time) break;
      this.#heap[position] = parent;
    }
    this.#heap[position] = record;
  }

  /** The record that has been idle the longest. There must be one. */
  idlest(): number {
    for (;;) {
      const record = this.#heap[0]!;
      if (this.#keys[record] === this.#times[record]) return record;
      this.#keys[record] = this.#times[record]!;
      this.#sink(record);
    }
  }

  /** Removes the record that `idlest` gave. */
  removeIdlest(): void {
    const last = this.#heap[--this.#count]!;
    if (this.#count > 0) this.#sink(last);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Moves a record down from the top to its place. */
  #sink(record: number): void {
    const time = this.#keys[record]!;
    let position = 0;
    for (let child = 1; child < this.#count; child = 2 * position + 1) {
      const right = child + 1;
      if (right < this.#count && this.#keyAt(right) < this.#keyAt(child)) child = right;
      if (this.#keyAt(child) >= time) break;
      this.#heap[position] = this.#heap[child]!;
      position = child;
    }
    this.#heap[position] = record;
  }

  #keyAt(position: number): number {
    return this.#keys[this.#heap[position]!]!;
  }
}

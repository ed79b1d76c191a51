const ABSENT = -1;
/** 2^32 divided by the golden ratio: spreads consecutive numbers (Knuth, TAOCP 6.4). */
const SPREAD = 0x9e3779b1;

/** Bytes of a table for this many subjects. */
export function subjectTableBytes(subjectsMax: number): number {
  return 8 * slotsFor(subjectsMax);
}

/**
 * Whole numbers ≥ 0 by subject, in memory that is allocated once: a hash table with open
 * addressing, at most half full. Subjects are below 2^32 − 1.
 */
export class SubjectTable {
  readonly #keys: Uint32Array; // index: slot; the subject + 1, or 0 for an empty slot
  readonly #values: Uint32Array; // index: slot
  readonly #shift: number;
  size = 0;

  constructor(subjectsMax: number) {
    const slots = slotsFor(subjectsMax);
    this.#keys = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
    this.#shift = 32 - Math.log2(slots);
  }

  /** The subject's number; -1 when it has none. */
  get(subject: number): number {
    const slot = this.#slot(subject + 1);
    return this.#keys[slot] === 0 ? ABSENT : this.#values[slot]!;
  }

  set(subject: number, value: number): void {
    const slot = this.#slot(subject + 1);
    if (this.#keys[slot] === 0) {
      this.#keys[slot] = subject + 1;
      this.size++;
    }
    this.#values[slot] = value;
  }

  /** Removes a subject, and moves those that it displaced into the gap. */
  delete(subject: number): void {
    let gap = this.#slot(subject + 1);
    if (this.#keys[gap] === 0) return;
    this.size--;
    const mask = this.#keys.length - 1;
    for (let slot = (gap + 1) & mask; this.#keys[slot] !== 0; slot = (slot + 1) & mask) {
      const wished = this.#home(this.#keys[slot]!);
      // The entry stays when its home slot lies after the gap.
      if (((slot - wished) & mask) < ((slot - gap) & mask)) continue;
      this.#keys[gap] = this.#keys[slot]!;
      this.#values[gap] = this.#values[slot]!;
      gap = slot;
    }
    this.#keys[gap] = 0;
  }

  clear(): void {
    this.#keys.fill(0);
    this.size = 0;
  }

  /** The slot of a key, or the empty slot where it would be. */
  #slot(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = this.#home(key);
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #home(key: number): number {
    return Math.imul(key, SPREAD) >>> this.#shift;
  }
}

function slotsFor(subjectsMax: number): number {
  return 2 ** Math.ceil(Math.log2(2 * Math.max(subjectsMax, 4)));
}

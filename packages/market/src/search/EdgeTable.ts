/** No node. */
export const NONE = 0xffff_ffff;

/**
 * The edges of a trie: from a node, by a UTF-16 unit, to a node. An open-addressing table, at most
 * two thirds full, so that probing ends.
 */
export class EdgeTable {
  // Index: hash slot.
  #from = new Uint32Array(16);
  #unit = new Uint16Array(16);
  #to = new Uint32Array(16).fill(NONE); // NONE: the slot is empty
  #count = 0;

  get byteLength(): number {
    return this.#from.byteLength + this.#unit.byteLength + this.#to.byteLength;
  }

  /** The node that an edge leads to, or NONE. */
  find(from: number, unit: number): number {
    const mask = this.#to.length - 1;
    for (let slot = hash(from, unit) & mask; ; slot = (slot + 1) & mask) {
      const to = this.#to[slot]!;
      if (to === NONE) return NONE;
      if (this.#from[slot] === from && this.#unit[slot] === unit) return to;
    }
  }

  /** Adds an edge, which must be new. */
  add(from: number, unit: number, to: number): void {
    if (3 * (this.#count + 1) > 2 * this.#to.length) this.#rebuild();
    this.#insert(from, unit, to);
    this.#count++;
  }

  #insert(from: number, unit: number, to: number): void {
    const mask = this.#to.length - 1;
    let slot = hash(from, unit) & mask;
    while (this.#to[slot] !== NONE) slot = (slot + 1) & mask;
    this.#from[slot] = from;
    this.#unit[slot] = unit;
    this.#to[slot] = to;
  }

  #rebuild(): void {
    const [from, unit, to] = [this.#from, this.#unit, this.#to];
    this.#from = new Uint32Array(2 * to.length);
    this.#unit = new Uint16Array(2 * to.length);
    this.#to = new Uint32Array(2 * to.length).fill(NONE);
    for (let slot = 0; slot < to.length; slot++) {
      if (to[slot] !== NONE) this.#insert(from[slot]!, unit[slot]!, to[slot]!);
    }
  }
}

/** Texts are untrusted; the secret seed leaves collisions to chance. */
function hash(from: number, unit: number): number {
  let state = Math.imul(from ^ SEED, 0x9e3779b1) ^ unit;
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
  return (state ^ (state >>> 13)) >>> 0;
}

const SEED = (Math.random() * 2 ** 32) | 0;

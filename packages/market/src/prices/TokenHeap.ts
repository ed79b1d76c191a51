import { enlarged } from "../enlarged.ts";

const ABSENT = -1;

/**
 * Tokens by width, the widest first; of equals, the lower rank. A token's width can only be raised,
 * and a token that was taken must not be raised again.
 */
export class TokenHeap {
  #tokens = new Uint32Array(0); // index: position in the heap; parent of position p: (p − 1) >> 1
  #positions = new Int32Array(0); // index: token; its position, or ABSENT
  #widths = new Float64Array(0); // index: token; 0 until it was raised
  #ranks: ArrayLike<number> = []; // index: token; distinct
  #count = 0;

  /** Empties the heap, for tokens with these ranks. */
  begin(tokenCount: number, ranks: ArrayLike<number>): void {
    this.#ranks = ranks;
    this.#tokens = enlarged(this.#tokens, tokenCount);
    this.#positions = enlarged(this.#positions, tokenCount).fill(ABSENT);
    this.#widths = enlarged(this.#widths, tokenCount).fill(0);
    this.#count = 0;
  }

  /** The width that a token has now, or had when it was taken. */
  width(token: number): number {
    return this.#widths[token]!;
  }

  /** Adds a token, or raises its width; false when it is that wide already. */
  raise(token: number, width: number): boolean {
    if (width <= this.#widths[token]!) return false;
    this.#widths[token] = width;
    let position = this.#positions[token]!;
    if (position === ABSENT) position = this.#count++;
    this.#rise(token, position);
    return true;
  }

  /** The widest token, or -1 when none is left. */
  take(): number {
    if (this.#count === 0) return -1;
    const widest = this.#tokens[0]!;
    this.#positions[widest] = ABSENT;
    const last = this.#tokens[--this.#count]!;
    if (this.#count > 0) this.#sink(last);
    return widest;
  }

  #rise(token: number, from: number): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#tokens[parent]!;
      if (!this.#before(token, above)) break;
      this.#put(above, position);
      position = parent;
    }
    this.#put(token, position);
  }

  #sink(token: number): void {
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.#count) break;
      const right = child + 1;
      if (right < this.#count && this.#before(this.#tokens[right]!, this.#tokens[child]!))
        child = right;
      const below = this.#tokens[child]!;
      if (!this.#before(below, token)) break;
      this.#put(below, position);
      position = child;
    }
    this.#put(token, position);
  }

  #put(token: number, position: number): void {
    this.#tokens[position] = token;
    this.#positions[token] = position;
  }

  #before(a: number, b: number): boolean {
    const difference = this.#widths[a]! - this.#widths[b]!;
    // Two infinite widths differ by NaN: then, as for equals, the rank decides.
    return difference > 0 || (!(difference < 0) && this.#ranks[a]! < this.#ranks[b]!);
  }
}

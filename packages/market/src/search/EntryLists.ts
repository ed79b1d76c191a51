import { enlarged } from "../enlarged.ts";

/**
 * Growing lists of numbers below 2^32 in one typed array: a million short lists without a million
 * objects. A list's room is the least power of two that holds it; room that it has outgrown goes to
 * others.
 */
export class EntryLists {
  // Index: list. The start of its entries in the pool, and their number.
  #start = new Uint32Array(16);
  #count = new Uint32Array(16);
  #listCount = 0;
  #pool = new Uint32Array(1_024);
  #poolLength = 0;
  // Index: log2 of the room. Free places in the pool.
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);

  get byteLength(): number {
    const free = this.#free.reduce((sum, positions) => sum + positions.length, 0);
    return this.#start.byteLength + this.#count.byteLength + this.#pool.byteLength + 8 * free;
  }

  /** A new, empty list. */
  make(): number {
    const list = this.#listCount++;
    this.#start = enlarged(this.#start, this.#listCount);
    this.#count = enlarged(this.#count, this.#listCount);
    return list;
  }

  count(list: number): number {
    return this.#count[list]!;
  }

  /** The last entry of a list, which must not be empty. */
  last(list: number): number {
    return this.#pool[this.#start[list]! + this.#count[list]! - 1]!;
  }

  setLast(list: number, entry: number): void {
    this.#pool[this.#start[list]! + this.#count[list]! - 1] = entry;
  }

  push(list: number, entry: number): void {
    const count = this.#count[list]!;
    // The room is full when the count is a power of two, or 0.
    if ((count & (count - 1)) === 0) this.#move(list, count);
    this.#pool[this.#start[list]! + count] = entry;
    this.#count[list] = count + 1;
  }

  empty(list: number): void {
    const count = this.#count[list]!;
    if (count > 0) this.#free[Math.ceil(Math.log2(count))]!.push(this.#start[list]!);
    this.#count[list] = 0;
  }

  /** A view of a list, valid until the next `push`. */
  entries(list: number): Uint32Array {
    return this.#pool.subarray(this.#start[list]!, this.#start[list]! + this.#count[list]!);
  }

  /** Gives a list whose room is full twice as much, or its first room. */
  #move(list: number, count: number): void {
    const from = this.#start[list]!;
    const room = Math.max(1, 2 * count);
    const size = Math.log2(room);
    let to = this.#free[size]!.pop();
    if (to === undefined) {
      to = this.#poolLength;
      this.#poolLength += room;
      this.#reserve(this.#poolLength);
    }
    if (count > 0) {
      this.#pool.copyWithin(to, from, from + count);
      this.#free[size - 1]!.push(from);
    }
    this.#start[list] = to;
  }

  /** Grows by an eighth only: the pool is by far the largest array. */
  #reserve(length: number): void {
    if (length <= this.#pool.length) return;
    const larger = new Uint32Array(Math.max(length, Math.ceil(1.125 * this.#pool.length)));
    larger.set(this.#pool);
    this.#pool = larger;
  }
}

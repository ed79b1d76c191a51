/** Values of a digit: two bytes of a key. */
const DIGITS = 1 << 16;
const KEY_DIGITS = 4;
/** So few are sorted as they are. */
const FEW = 128;
/** Keys that are looked at to guess what the first ones are. */
const SAMPLED = 1_024;
/** Of the sample, so many more than the range is long in proportion. */
const SPARE = 12;

// Index: value of a digit. Kept, so that a page allocates little more than what it holds.
const counts = new Uint32Array(DIGITS);

/**
 * The indexes at the places `start` (inclusive) to `end` (exclusive) of the order of their keys,
 * without ordering the rest; of equal keys, the lower index first. `among` are the indexes to order,
 * ascending; without it, all. Keys are floats ≥ 0. In the plain form:
 * `among.toSorted((a, b) => keys[a] - keys[b] || a - b).slice(start, end)`.
 *
 * A radix selection from the most significant digit on: the bits of non-negative floats ascend as
 * they do (least significant byte first, as on every machine that runs JavaScript today). Memory is
 * read in one direction: that is what makes it fast.
 */
export function selectRange(
  keys: Float64Array,
  among: Uint32Array | undefined,
  descending: boolean,
  start: number,
  end: number,
): Uint32Array {
  const last = Math.min(end, among?.length ?? keys.length);
  if (start >= last) return new Uint32Array();
  const first = among === undefined ? firstIndexes(keys, descending, last) : undefined;
  if (first !== undefined) return ordered(keys, first, descending).subarray(start, last);
  const selection = new Selection(keys, descending, start, last);
  selection.take(among, 0, 0);
  return selection.selected;
}

/**
 * Few indexes, ascending, among which are the `count` first ones of the order: those whose keys are
 * beyond a key of a sample, and as many equal to it as may be needed. Undefined when there is no
 * such key that leaves most out. One pass, where a selection takes several.
 */
function firstIndexes(
  keys: Float64Array,
  descending: boolean,
  count: number,
): Uint32Array | undefined {
  const size = keys.length;
  const place = Math.ceil((count / size) * SAMPLED) + SPARE;
  if (size < 4 * SAMPLED || place > SAMPLED / 16) return undefined;
  const step = size / SAMPLED;
  const sample = new Float64Array(SAMPLED);
  for (let at = 0; at < SAMPLED; at++) sample[at] = keys[Math.floor(at * step)]!;
  sample.sort();
  const bound = sample[descending ? SAMPLED - 1 - place : place]!;
  const found = new Uint32Array(Math.ceil(size / 8));
  let foundCount = 0;
  let equalsLeft = count;
  for (let index = 0; index < size; index++) {
    const key = keys[index]!;
    if (descending ? key < bound : key > bound) continue;
    if (key === bound && equalsLeft-- <= 0) continue;
    if (foundCount === found.length) return undefined;
    found[foundCount++] = index;
  }
  return foundCount >= count ? found.subarray(0, foundCount) : undefined;
}

/**
 * Indexes in the order of their keys; what is equal stays as it stands. Bare floats are sorted
 * without calls of a comparison; then each index looks its own key up among them.
 */
function ordered(keys: Float64Array, indexes: Uint32Array, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1;
  const sorted = new Float64Array(indexes.length);
  for (let at = 0; at < sorted.length; at++) sorted[at] = sign * keys[indexes[at]!]!;
  sorted.sort();
  const result = new Uint32Array(sorted.length);
  // Index: the first place of a key. How many of its indexes have a place.
  const placed = new Uint32Array(sorted.length);
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at]!;
    const key = sign * keys[index]!;
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < key) low = middle + 1;
      else high = middle;
    }
    result[low + placed[low]!++] = index;
  }
  return result;
}

class Selection {
  readonly selected: Uint32Array;
  readonly #start: number;
  readonly #end: number;
  readonly #keys: Float64Array;
  readonly #digits: Uint16Array; // index: KEY_DIGITS × index of the key + significance
  readonly #flip: number;
  #filled = 0;

  constructor(keys: Float64Array, descending: boolean, start: number, end: number) {
    this.selected = new Uint32Array(end - start);
    this.#start = start;
    this.#end = end;
    this.#keys = keys;
    this.#digits = new Uint16Array(keys.buffer, keys.byteOffset, KEY_DIGITS * keys.length);
    this.#flip = descending ? DIGITS - 1 : 0;
  }

  /**
   * Takes what of the range lies among some ascending indexes (all, when undefined), which stand at
   * the places from `offset` on when all is in order, and whose keys agree in the first digits.
   */
  take(among: Uint32Array | undefined, offset: number, agreed: number): void {
    const size = among?.length ?? this.#keys.length;
    if (agreed === KEY_DIGITS || this.#areEqual(among, size)) return this.#copy(among, offset);
    if (size <= FEW) return this.#copy(this.#sorted(among ?? indexesBelow(size)), offset);
    this.#count(among, size, agreed);
    // The values of the digit at the first and at the last place of the range, and what is before.
    let first = 0;
    let before = offset;
    while (before + counts[first]! <= this.#start) before += counts[first++]!;
    const firstCount = counts[first]!;
    if (firstCount === size) return this.take(among, offset, agreed + 1);
    let final = first;
    let beforeFinal = before;
    const end = Math.min(this.#end, offset + size);
    while (beforeFinal + counts[final]! < end) beforeFinal += counts[final++]!;
    const finalCount = final === first ? 0 : counts[final]!;
    // Those between are wholly in the range: no more than it is long.
    const betweenCount = final === first ? 0 : beforeFinal - before - firstCount;
    const firsts = new Uint32Array(firstCount);
    const between = new Uint32Array(betweenCount);
    const finals = new Uint32Array(finalCount);
    this.#part(among, agreed, first, final, firsts, between, finals);
    this.take(firsts, before, agreed + 1);
    if (betweenCount > 0) this.#copy(this.#sorted(between), before + firstCount);
    if (finalCount > 0) this.take(finals, beforeFinal, agreed + 1);
  }

  /** Counts the values of the digit after the agreed ones. */
  #count(among: Uint32Array | undefined, size: number, agreed: number): void {
    const digits = this.#digits;
    const digit = KEY_DIGITS - 1 - agreed;
    const flip = this.#flip;
    counts.fill(0);
    if (among === undefined) {
      for (let at = digit; at < digits.length; at += KEY_DIGITS) counts[digits[at]! ^ flip]!++;
    } else {
      for (let at = 0; at < size; at++) counts[digits[KEY_DIGITS * among[at]! + digit]! ^ flip]!++;
    }
  }

  /** Fills three arrays with the indexes whose next digit is `first`, is between, is `final`. */
  #part(
    among: Uint32Array | undefined,
    agreed: number,
    first: number,
    final: number,
    firsts: Uint32Array,
    between: Uint32Array,
    finals: Uint32Array,
  ): void {
    const digits = this.#digits;
    const digit = KEY_DIGITS - 1 - agreed;
    const flip = this.#flip;
    let firstCount = 0;
    let betweenCount = 0;
    let finalCount = 0;
    let left = firsts.length + between.length + finals.length;
    for (let at = 0; left > 0; at++) {
      const index = among === undefined ? at : among[at]!;
      const value = digits[KEY_DIGITS * index + digit]! ^ flip;
      if (value < first || value > final) continue;
      if (value === first) firsts[firstCount++] = index;
      else if (value === final) finals[finalCount++] = index;
      else between[betweenCount++] = index;
      left--;
    }
  }

  #areEqual(among: Uint32Array | undefined, size: number): boolean {
    const keys = this.#keys;
    const key = keys[among === undefined ? 0 : among[0]!];
    for (let at = 1; at < size; at++) {
      if (keys[among === undefined ? at : among[at]!] !== key) return false;
    }
    return true;
  }

  #sorted(indexes: Uint32Array): Uint32Array {
    return ordered(this.#keys, indexes, this.#flip !== 0);
  }

  /** Takes what of the range lies among indexes (all, when undefined) in order from `offset` on. */
  #copy(ordered: Uint32Array | undefined, offset: number): void {
    const from = Math.max(0, this.#start - offset);
    const to = Math.max(0, this.#end - offset);
    const part =
      ordered === undefined
        ? indexesBelow(Math.min(to, this.#keys.length)).subarray(from)
        : ordered.subarray(from, to);
    this.selected.set(part, this.#filled);
    this.#filled += part.length;
  }
}

/** 0, 1, 2, …; so many. */
function indexesBelow(count: number): Uint32Array {
  const indexes = new Uint32Array(count);
  for (let index = 0; index < count; index++) indexes[index] = index;
  return indexes;
}

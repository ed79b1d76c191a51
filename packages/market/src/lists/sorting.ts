const KEY_BYTES = 8;
/**
 * From this many indexes on, digits have two bytes: half the passes are worth clearing 65,536
 * counts.
 */
const WIDE_FROM = 1 << 14;
const CHUNK = 256;
const SLICE = 4096;
/** A list so many times as long as the other has those of the other inserted. */
const FEW = 16;

/**
 * Sorts indexes by their keys, in slices; equal keys stay in the order of `base`. Keys are floats ≥
 * 0, by index. A radix sort over the bytes of the keys: the bits of non-negative floats ascend as
 * they do (least significant byte first, as on every machine that runs JavaScript today).
 */
export function* sortByKey(
  base: Uint32Array,
  keys: Float64Array,
  descending: boolean,
): Generator<void, Uint32Array> {
  const isWide = base.length >= WIDE_FROM;
  const digits = isWide ? new Uint16Array(keys.buffer) : new Uint8Array(keys.buffer);
  const stride = KEY_BYTES / digits.BYTES_PER_ELEMENT;
  const next = new Uint32Array(2 ** (8 * digits.BYTES_PER_ELEMENT));
  const flip = descending ? next.length - 1 : 0;
  let from = base.slice();
  let into = new Uint32Array(base.length);
  for (let digit = 0; digit < stride; digit++) {
    const pass = { from, into, digits, stride, digit, flip, next };
    if (yield* distribute(pass)) [from, into] = [into, from];
  }
  return from;
}

/** One pass of the sort. */
interface DigitPass {
  readonly from: Uint32Array;
  readonly into: Uint32Array;
  readonly digits: Uint8Array | Uint16Array;
  readonly stride: number;
  readonly digit: number;
  readonly flip: number;
  /** Index: value of the digit. The position of the next index with it. */
  readonly next: Uint32Array;
}

/**
 * Orders indexes by one digit of their keys; false, with nothing done, when all have the same
 * digit.
 */
function* distribute(pass: DigitPass): Generator<void, boolean> {
  const { from, next } = pass;
  next.fill(0);
  for (let start = 0; start < from.length; start += SLICE) {
    countSome(pass, start, Math.min(start + SLICE, from.length));
    yield;
  }
  let first = 0;
  for (let value = 0; value < next.length; value++) {
    const count = next[value]!;
    if (count === from.length) return false;
    next[value] = first;
    first += count;
  }
  for (let start = 0; start < from.length; start += SLICE) {
    yield;
    placeSome(pass, start, Math.min(start + SLICE, from.length));
  }
  return true;
}

function countSome(pass: DigitPass, start: number, end: number): void {
  const { from, digits, stride, digit, flip, next } = pass;
  for (let position = start; position < end; position++) {
    next[digits[stride * from[position]! + digit]! ^ flip]!++;
  }
}

function placeSome(pass: DigitPass, start: number, end: number): void {
  const { from, into, digits, stride, digit, flip, next } = pass;
  for (let position = start; position < end; position++) {
    const index = from[position]!;
    into[next[digits[stride * index + digit]! ^ flip]!++] = index;
  }
}

export type Compare = (a: number, b: number) => number;

/** Merges indexes into a sorted list, in slices. `compare` never gives 0. */
export function* mergeSorted(
  sorted: Uint32Array,
  added: Uint32Array,
  compare: Compare,
): Generator<void, Uint32Array> {
  let runs: Uint32Array[] = [];
  for (let start = 0; start < added.length; start += CHUNK) {
    runs.push(added.slice(start, start + CHUNK).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Uint32Array[] = [];
    for (let run = 0; run < runs.length; run += 2) {
      const second = runs[run + 1];
      merged.push(second === undefined ? runs[run]! : yield* merge(runs[run]!, second, compare));
    }
    runs = merged;
  }
  return runs.length === 0 ? sorted : yield* merge(sorted, runs[0]!, compare);
}

function* merge(a: Uint32Array, b: Uint32Array, compare: Compare): Generator<void, Uint32Array> {
  if (FEW * b.length < a.length) return yield* insertFew(a, b, compare);
  const merged = new Uint32Array(a.length + b.length);
  let left = 0;
  let right = 0;
  for (let position = 0; position < merged.length; position++) {
    const takeLeft = right === b.length || (left < a.length && compare(a[left]!, b[right]!) < 0);
    merged[position] = takeLeft ? a[left++]! : b[right++]!;
    if (position % SLICE === 0) yield;
  }
  return merged;
}

/** Merges by bisection: most of the long list is copied without a look at it. */
function* insertFew(
  sorted: Uint32Array,
  few: Uint32Array,
  compare: Compare,
): Generator<void, Uint32Array> {
  const merged = new Uint32Array(sorted.length + few.length);
  let from = 0;
  for (let count = 0; count < few.length; count++) {
    const to = placeOf(few[count]!, sorted, from, compare);
    merged.set(sorted.subarray(from, to), from + count);
    merged[to + count] = few[count]!;
    from = to;
    yield;
  }
  merged.set(sorted.subarray(from), from + few.length);
  return merged;
}

/** The first position, from `start` on, of an index that comes after this one. */
function placeOf(index: number, sorted: Uint32Array, start: number, compare: Compare): number {
  let low = start;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(sorted[middle]!, index) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

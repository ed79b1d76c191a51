/** Number of keys sampled to guess which keys the range lies between. */
const SAMPLED = 1_024;
/** Half the width of the guess, in standard errors: it fails about once in ten thousand times. */
const ERRORS = 4;
/**
 * Up to this many equal keys are sorted by rank; among more, the wanted ones are looked for in
 * order.
 */
const FEW = 64;
const EVERYTHING = { low: -1, high: Number.POSITIVE_INFINITY };

/** The data from which a range is cut. */
export interface Ordered {
  /** By index; finite, ≥ 0. */
  readonly keys: Float64Array;
  /** Indexes in the order that equal keys have; and, by index, the position there. */
  readonly order: Uint32Array;
  readonly rank: Uint32Array;
  /** The indexes that count; undefined for all from 0 on, as many as `order` has. */
  readonly among: Marked | undefined;
}

/** A choice of indexes. */
export interface Marked {
  /** Index: 1 if chosen. */
  readonly marks: Uint8Array;
  readonly count: number;
}

/** A key, how many indexes have it, and the position of the first of them. */
interface Tie {
  readonly key: number;
  readonly count: number;
  readonly start: number;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * The indexes at positions `start` (inclusive) to `end` (exclusive) in order of their keys, without
 * sorting the rest; equal keys are as in `order`, both ascending and descending. In plain form:
 * `order.filter(isMeant).sort((a, b) => keys[a] - keys[b]).slice(start, end)`.
 *
 * A sample gives two keys that most likely enclose the range. One pass counts the keys below and
 * takes those between; among these few, the first and the last key of the range are found.
 */
export function selectRange(
  ordered: Ordered,
  descending: boolean,
  start: number,
  end: number,
): Uint32Array {
  const total = ordered.among?.count ?? ordered.order.length;
  const last = Math.min(end, total);
  if (start >= last) return new Uint32Array();
  // The positions of the range, counted from the lowest key.
  const from = descending ? total - last : start;
  const to = descending ? total - start : last;
  return (
    cut(ordered, descending, from, to, guess(ordered, total, from, to)) ??
    cut(ordered, descending, from, to, EVERYTHING)!
  );
}

/** Two keys that most likely enclose the positions. */
function guess({ keys, order, among }: Ordered, total: number, from: number, to: number): Bounds {
  const size = among?.marks.length ?? order.length;
  const step = Math.floor(total / SAMPLED);
  if (step < 2) return EVERYTHING;
  const sample = new Float64Array(Math.ceil(size / step));
  let count = 0;
  // From a random start: nobody can arrange what is sampled.
  for (let index = Math.floor(step * Math.random()); index < size; index += step) {
    if (among === undefined || among.marks[index] === 1) sample[count++] = keys[index]!;
  }
  const sorted = sample.subarray(0, count).sort();
  const spare = (part: number) => ERRORS * (1 + Math.sqrt(count * part * (1 - part)));
  const position = (at: number, sign: number) => count * (at / total) + sign * spare(at / total);
  return {
    low: sorted[Math.floor(position(from, -1))] ?? EVERYTHING.low,
    high: sorted[Math.ceil(position(to, 1))] ?? EVERYTHING.high,
  };
}

/**
 * The indexes at these positions, counted from the lowest key; undefined when some are beyond the
 * bounds.
 */
function cut(
  ordered: Ordered,
  descending: boolean,
  from: number,
  to: number,
  { low, high }: Bounds,
): Uint32Array | undefined {
  const { keys, rank } = ordered;
  const { below, upToHigh } = takeBetween(ordered, low, high);
  if (from < below || to > upToHigh) return undefined;
  const { upToLow, inside } = takeInside(keys, low, high, below, upToHigh);
  const belowHigh = upToLow + inside;
  const tieAt = (position: number): Tie => {
    if (position < upToLow) return { key: low, count: upToLow - below, start: below };
    if (position >= belowHigh) return { key: high, count: upToHigh - belowHigh, start: belowHigh };
    const key = insideKey(keys, inside, position - upToLow);
    const { less, equal } = countInside(keys, inside, key);
    return { key, count: equal, start: upToLow + less };
  };
  const first = tieAt(from);
  const final = tieAt(to - 1);
  const between: number[] = [];
  for (let at = 0; at < inside; at++) {
    const key = keys[taken[at]!]!;
    if (key > first.key && key < final.key) between.push(taken[at]!);
  }
  const sign = descending ? -1 : 1;
  between.sort((a, b) => sign * (keys[a]! - keys[b]!) || rank[a]! - rank[b]!);
  // Equal keys have the same order ascending and descending, so the other end is cut off.
  const part = ({ key, count, start }: Tie) => {
    const [partFrom, partTo] = [Math.max(0, from - start), Math.min(count, to - start)];
    return descending
      ? tied(ordered, key, inside, count - partTo, count - partFrom)
      : tied(ordered, key, inside, partFrom, partTo);
  };
  if (first.key === final.key) return Uint32Array.from(part(first));
  const ends = descending ? [part(final), part(first)] : [part(first), part(final)];
  return Uint32Array.from([...ends[0]!, ...between, ...ends[1]!]);
}

// Reused, so that a range allocates little more than its content: calls do not interleave.
let taken = new Uint32Array(0);
let values = new Float64Array(0);

/**
 * Counts the keys below the lower bound and those up to the higher one, and leaves the indexes of
 * those between in `taken`. Without branches: they could not be predicted, which would cost more
 * than the work.
 */
function takeBetween(ordered: Ordered, low: number, high: number) {
  const { keys, order, among } = ordered;
  const size = among?.marks.length ?? order.length;
  if (taken.length <= size) taken = new Uint32Array(size + 1);
  return among === undefined
    ? takeOfAll(keys, size, low, high)
    : takeOfMarked(keys, among.marks, low, high);
}

function takeOfAll(keys: Float64Array, size: number, low: number, high: number) {
  let below = 0;
  let count = 0;
  for (let index = 0; index < size; index++) {
    const key = keys[index]!;
    const isBelow = Number(key < low);
    taken[count] = index;
    below += isBelow;
    count += Number(key <= high) - isBelow;
  }
  return { below, upToHigh: below + count };
}

function takeOfMarked(keys: Float64Array, marks: Uint8Array, low: number, high: number) {
  let below = 0;
  let count = 0;
  for (let index = 0; index < marks.length; index++) {
    const key = keys[index]!;
    const mark = marks[index]!;
    const isBelow = mark & Number(key < low);
    taken[count] = index;
    below += isBelow;
    count += (mark & Number(key <= high)) - isBelow;
  }
  return { below, upToHigh: below + count };
}

/** Leaves in `taken` only keys strictly between the bounds; `inside` is their number. */
function takeInside(
  keys: Float64Array,
  low: number,
  high: number,
  below: number,
  upToHigh: number,
) {
  let upToLow = below;
  let inside = 0;
  for (let at = 0; at < upToHigh - below; at++) {
    const index = taken[at]!;
    const key = keys[index]!;
    const isLow = Number(key <= low);
    taken[inside] = index;
    upToLow += isLow;
    inside += Number(key < high) & (1 - isLow);
  }
  return { upToLow, inside };
}

function countInside(keys: Float64Array, inside: number, wanted: number) {
  let less = 0;
  let equal = 0;
  for (let at = 0; at < inside; at++) {
    const key = keys[taken[at]!]!;
    less += Number(key < wanted);
    equal += Number(key === wanted);
  }
  return { less, equal };
}

/** The key at a position among those inside: Hoare's selection, with random pivots. */
function insideKey(keys: Float64Array, inside: number, position: number): number {
  if (values.length < inside) values = new Float64Array(taken.length);
  for (let at = 0; at < inside; at++) values[at] = keys[taken[at]!]!;
  let start = 0;
  let end = inside - 1;
  while (start < end) {
    const pivot = values[start + Math.floor((end - start + 1) * Math.random())]!;
    let left = start;
    let right = end;
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const value = values[left]!;
      values[left++] = values[right]!;
      values[right--] = value;
    }
    if (position <= right) end = right;
    else if (position >= left) start = left;
    else return pivot;
  }
  return values[position]!;
}

/** The indexes with a key, at some positions among them. */
function tied(ordered: Ordered, key: number, inside: number, from: number, to: number): number[] {
  const { keys, order, rank, among } = ordered;
  const few: number[] = [];
  for (let at = 0; at < inside && few.length <= FEW; at++) {
    if (keys[taken[at]!] === key) few.push(taken[at]!);
  }
  // Keys at the bounds are not inside: then `few` is empty.
  if (few.length > 0 && few.length <= FEW) {
    return few.sort((a, b) => rank[a]! - rank[b]!).slice(from, to);
  }
  const found: number[] = [];
  for (
    let position = 0, left = from;
    position < order.length && found.length < to - from;
    position++
  ) {
    const index = order[position]!;
    if (keys[index] !== key || among?.marks[index] === 0) continue;
    if (left-- <= 0) found.push(index);
  }
  return found;
}

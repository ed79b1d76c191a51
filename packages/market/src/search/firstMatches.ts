import { INSIDE } from "./GramTrie.ts";

/** The order of matches of one kind: the more liquid first, of equals by address. */
export interface Ranking {
  /** All tokens in that order; and, by token, its position there. */
  readonly order: Uint32Array;
  readonly rank: Uint32Array;
}

/** Above every position of a token. */
const KIND = 2 ** 32;
/** Number of entries sampled to guess how far the first ones reach. */
const SAMPLED = 512;
/** Up to this many entries are all taken. */
const FEW = 8 * SAMPLED;

/** Number of places in the ranking that are tried for one search. */
const TRIED_MAX = 1_024;

// Reused, so that a search allocates little: calls do not interleave.
let taken = new Float64Array(0);

/**
 * The first tokens among entries, each of which is token × 4 + kind: the lowest kind first, then by
 * rank. A sample gives a bound that most likely excludes nearly all but the first ones; then one
 * pass, without branches, takes the entries within it.
 */
export function firstMatches(entries: Uint32Array, ranking: Ranking, limit: number): number[] {
  const wanted = Math.min(limit, entries.length);
  let count = take(entries, ranking.rank, boundOf(entries, ranking.rank, wanted));
  if (count < wanted) count = take(entries, ranking.rank, Number.POSITIVE_INFINITY);
  const first = taken.subarray(0, count).sort().subarray(0, wanted);
  return Array.from(first, (position) => ranking.order[position % KIND]!);
}

/**
 * The same for very many entries, most of them INSIDE; `starts` are the others. Among so many,
 * enough are found in the first positions of the ranking.
 */
export function firstOfMany(
  entries: Uint32Array,
  starts: Uint32Array,
  ranking: Ranking,
  limit: number,
): number[] {
  const found = firstMatches(starts, ranking, limit);
  const triedMax = Math.min(TRIED_MAX, ranking.order.length);
  for (let position = 0; position < triedMax && found.length < limit; position++) {
    const token = ranking.order[position]!;
    const inside = 4 * token + INSIDE;
    if (entries[countBelow(entries, inside)] === inside) found.push(token);
  }
  const isAll = found.length === Math.min(limit, entries.length);
  return isAll ? found : firstMatches(entries, ranking, limit);
}

/** How many of some ascending numbers are below a bound. */
export function countBelow(ascending: Uint32Array, bound: number): number {
  let low = 0;
  for (let high = ascending.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function boundOf(entries: Uint32Array, rank: Uint32Array, wanted: number): number {
  if (entries.length <= FEW) return Number.POSITIVE_INFINITY;
  const step = entries.length / SAMPLED;
  // From a random start: nobody can arrange what is sampled.
  const phase = Math.random();
  const sample = Float64Array.from({ length: SAMPLED }, (_, at) =>
    positionOf(entries[Math.floor(step * (at + phase))]!, rank),
  ).sort();
  const expected = wanted / step;
  // A margin, so that the bound is too low about once in a hundred thousand times.
  return sample[Math.ceil(expected + 3 * Math.sqrt(expected) + 2)] ?? Number.POSITIVE_INFINITY;
}

/** Leaves in `taken` the positions up to a bound; gives their number. */
function take(entries: Uint32Array, rank: Uint32Array, bound: number): number {
  if (taken.length <= entries.length) taken = new Float64Array(2 * entries.length + 1);
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    const position = positionOf(entries[at]!, rank);
    taken[count] = position;
    count += Number(position <= bound);
  }
  return count;
}

function positionOf(entry: number, rank: Uint32Array): number {
  return (entry & 3) * KIND + rank[entry >>> 2]!;
}

import { ADDRESS_BYTES, type Address, parseAddress } from "@millrace/core";
import { forEachIndex, type Sliced } from "./inSlices.ts";

/** Indexes that one slice of sorting moves. */
const SLICE_LENGTH = 32_768;
/** Ranges of at most this many are sorted by insertion. */
const INSERTION_LENGTH = 24;

/**
 * Indexes in order of address; equal addresses in order of index. A radix sort, first byte first:
 * unlike a comparison sort it can pause anywhere, and no choice of addresses makes it slow.
 */
export function* sortAddresses(addresses: Uint8Array): Sliced<Uint32Array> {
  const count = addresses.length / ADDRESS_BYTES;
  const order = new Uint32Array(count);
  for (let index = 0; index < count; index++) order[index] = index;
  const moved = new Uint32Array(count);
  const ends = new Uint32Array(256);
  // Ranges still to be sorted, whose earlier bytes are equal: start, end, byteIndex.
  const ranges = [0, count, 0];
  let work = 0;
  while (ranges.length > 0) {
    const byteIndex = ranges.pop()!;
    const end = ranges.pop()!;
    const start = ranges.pop()!;
    work += end - start;
    if (end - start <= INSERTION_LENGTH) {
      insertionSort(addresses, order, start, end);
    } else {
      const shared = yield* countBytes(addresses, order, { start, end, byteIndex }, ends);
      if (!shared) yield* moveByByte(addresses, { order, moved }, { start, end, byteIndex }, ends);
      if (byteIndex + 1 < ADDRESS_BYTES) pushRanges(ranges, { start, end, byteIndex }, ends);
    }
    if (work < SLICE_LENGTH) continue;
    work = 0;
    yield;
  }
  return order;
}

/** The bytes of addresses, one after the other. Throws for a text that is not an address. */
export function* parseAddresses(
  count: number,
  addressAt: (index: number) => Address,
): Sliced<Uint8Array> {
  const addresses = new Uint8Array(count * ADDRESS_BYTES);
  yield* forEachIndex(count, (index) => {
    const text = addressAt(index);
    if (!parseAddress(text, addresses, index * ADDRESS_BYTES)) {
      throw new RangeError(`${text} is no address`);
    }
  });
  return addresses;
}

/** Negative, zero or positive, as an address of one array compares with one of another. */
export function compareAddresses(
  a: Uint8Array,
  indexA: number,
  b: Uint8Array,
  indexB: number,
): number {
  const startA = indexA * ADDRESS_BYTES;
  const startB = indexB * ADDRESS_BYTES;
  for (let byteIndex = 0; byteIndex < ADDRESS_BYTES; byteIndex++) {
    const difference = a[startA + byteIndex]! - b[startB + byteIndex]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Copies an address from one array to another. */
export function copyAddress(from: Uint8Array, index: number, to: Uint8Array, at: number): void {
  const start = index * ADDRESS_BYTES;
  const startTo = at * ADDRESS_BYTES;
  for (let byteIndex = 0; byteIndex < ADDRESS_BYTES; byteIndex++)
    to[startTo + byteIndex] = from[start + byteIndex]!;
}

interface Range {
  readonly start: number;
  readonly end: number;
  /** Counts by the byte that is sorted. */
  readonly byteIndex: number;
}

/**
 * Counts the bytes of a range, and writes into `ends` where each byte's part ends. True when all
 * bytes are equal.
 */
function* countBytes(
  addresses: Uint8Array,
  order: Uint32Array,
  { start, end, byteIndex }: Range,
  ends: Uint32Array,
): Sliced<boolean> {
  ends.fill(0);
  for (let at = start; at < end; at++) {
    ends[addresses[order[at]! * ADDRESS_BYTES + byteIndex]!]!++;
    if ((at - start) % SLICE_LENGTH === SLICE_LENGTH - 1) yield;
  }
  const shared = ends.includes(end - start);
  let sum = start;
  for (let byte = 0; byte < 256; byte++) {
    sum += ends[byte]!;
    ends[byte] = sum;
  }
  return shared;
}

/** Sorts a range by one byte. */
function* moveByByte(
  addresses: Uint8Array,
  { order, moved }: { readonly order: Uint32Array; readonly moved: Uint32Array },
  { start, end, byteIndex }: Range,
  ends: Uint32Array,
): Sliced<void> {
  const next = ends.slice();
  // From last to first, since parts are filled from their ends: equal addresses keep their order.
  for (let at = end - 1; at >= start; at--) {
    const index = order[at]!;
    moved[--next[addresses[index * ADDRESS_BYTES + byteIndex]!]!] = index;
    if ((at - start) % SLICE_LENGTH === SLICE_LENGTH - 1) yield;
  }
  order.set(moved.subarray(start, end), start);
}

/** Pushes the parts of a range that hold more than one address onto the stack of ranges to sort. */
function pushRanges(ranges: number[], { start, byteIndex }: Range, ends: Uint32Array): void {
  let partStart = start;
  for (let byte = 0; byte < 256; byte++) {
    const partEnd = ends[byte]!;
    if (partEnd - partStart > 1) ranges.push(partStart, partEnd, byteIndex + 1);
    partStart = partEnd;
  }
}

function insertionSort(
  addresses: Uint8Array,
  order: Uint32Array,
  start: number,
  end: number,
): void {
  for (let at = start + 1; at < end; at++) {
    const index = order[at]!;
    let to = at;
    while (to > start && compareAddresses(addresses, order[to - 1]!, addresses, index) > 0) {
      order[to] = order[to - 1]!;
      to--;
    }
    order[to] = index;
  }
}

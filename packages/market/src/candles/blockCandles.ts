import type { BlockStamp } from "@millrace/core";
import type { TradedBlock } from "../activity/TradedBlock.ts";
import { SubjectTable } from "./SubjectTable.ts";

/**
 * What one block adds to the candles of each subject. A block has one time, so this is the same for
 * every interval. A subject is a pair of a pool or a token, see `pairSubject` and `tokenSubject`.
 */
export interface BlockCandles {
  readonly stamp: BlockStamp;
  /** Ascending. */
  readonly subjects: Uint32Array;
  /** Index: position of the subject; stride `VALUES`. Prices are all 0 when none is known. */
  readonly values: Float64Array;
}

export const VALUES = 5;
export const OPEN = 0;
export const HIGH = 1;
export const LOW = 2;
export const CLOSE = 3;
/** Whole ten-thousandths of a dollar. */
export const VOLUME = 4;

const SUBJECT_BYTES = 4;
const SWAPS_A_SLICE = 256;
const SUBJECTS_A_SLICE = 1_024;
/** Block numbers and times (in seconds) are kept in 32 bits. */
const STAMP_MAX = 2 ** 32 - 1;

export function pairSubject(series: number): number {
  return 2 * series;
}

export function tokenSubject(token: number): number {
  return 2 * token + 1;
}

/** Undefined for the subject of a pair. */
export function tokenOfSubject(subject: number): number | undefined {
  return subject % 2 === 1 ? (subject - 1) / 2 : undefined;
}

/**
 * The prices of a pair are those after each of its swaps; the price of a token is that at the end
 * of the block, in US dollars, 0 when unknown. Subjects with neither price nor volume are left out.
 */
export function* blockCandlesOf(
  block: TradedBlock,
  tokenPriceUsd: (token: number) => number,
): Generator<void, BlockCandles> {
  const drafts = new Drafts(3 * block.swaps.length);
  for (let at = 0; at < block.swaps.length; at++) {
    if (at % SWAPS_A_SLICE === 0) yield;
    const swap = block.swaps[at]!;
    const volume = swap.value > 0 && Number.isFinite(swap.value) ? swap.value : 0;
    drafts.trade(drafts.of(pairSubject(swap.series)), swap.priceAfter, volume);
    tradeToken(swap.tokenIn, volume);
    tradeToken(swap.tokenOut, volume);
  }
  return yield* drafts.finish(block.stamp);

  function tradeToken(token: number, volume: number): void {
    const known = drafts.count;
    const draft = drafts.of(tokenSubject(token));
    // One price per block, asked for when the token is first met.
    drafts.trade(draft, drafts.count > known ? tokenPriceUsd(token) : 0, volume);
  }
}

function emptyBlockCandles(stamp: BlockStamp, count: number): BlockCandles {
  // One buffer for both: values first, for their alignment.
  const valueBytes = count * VALUES * Float64Array.BYTES_PER_ELEMENT;
  const bytes = new ArrayBuffer(valueBytes + count * SUBJECT_BYTES);
  return {
    stamp,
    subjects: new Uint32Array(bytes, valueBytes, count),
    values: new Float64Array(bytes, 0, count * VALUES),
  };
}

export function isPlausible({ number, timestampMs }: BlockStamp): boolean {
  const seconds = timestampMs / 1_000;
  return number >= 0 && number <= STAMP_MAX && seconds >= 0 && seconds <= STAMP_MAX;
}

/** A block's candles in the making, in the order in which their subjects first traded. */
class Drafts {
  readonly #table: SubjectTable;
  readonly #subjects: Uint32Array;
  readonly #values: Float64Array; // stride VALUES
  count = 0;

  constructor(subjectsMax: number) {
    this.#table = new SubjectTable(subjectsMax);
    this.#subjects = new Uint32Array(subjectsMax);
    this.#values = new Float64Array(VALUES * subjectsMax);
  }

  /** The position of the subject's draft, a new one if need be. */
  of(subject: number): number {
    const known = this.#table.get(subject);
    if (known >= 0) return known;
    this.#table.set(subject, this.count);
    this.#subjects[this.count] = subject;
    return this.count++;
  }

  trade(draft: number, price: number, volume: number): void {
    const values = this.#values;
    const at = VALUES * draft;
    values[at + VOLUME]! += volume;
    if (!(price > 0 && Number.isFinite(price))) return;
    if (values[at + OPEN] === 0) {
      values.fill(price, at + OPEN, at + VOLUME);
      return;
    }
    if (price > values[at + HIGH]!) values[at + HIGH] = price;
    if (price < values[at + LOW]!) values[at + LOW] = price;
    values[at + CLOSE] = price;
  }

  *finish(stamp: BlockStamp): Generator<void, BlockCandles> {
    const values = this.#values;
    let count = 0;
    for (let draft = 0; draft < this.count; draft++) {
      const says = values[VALUES * draft + OPEN]! > 0 || values[VALUES * draft + VOLUME]! > 0;
      if (says) this.#subjects[count++] = this.#subjects[draft]!;
    }
    const made = emptyBlockCandles(stamp, count);
    made.subjects.set(this.#subjects.subarray(0, count).sort());
    for (let position = 0; position < count; position++) {
      if (position % SUBJECTS_A_SLICE === 0) yield;
      const from = VALUES * this.#table.get(made.subjects[position]!);
      for (let value = 0; value < VALUES; value++) {
        made.values[VALUES * position + value] = values[from + value]!;
      }
    }
    return made;
  }
}

import { type BlockCandles, CLOSE, HIGH, LOW, OPEN, VALUES, VOLUME } from "./blockCandles.ts";

export const CANDLES_A_CHUNK = 8;
export const NO_CHUNK = -1;
/** Number of marks of a candle, beside its values. */
export const MARKS = 3;
/** Seconds since 1970. */
export const START = 0;
/** Numbers of the blocks of its open and its close. */
export const OPEN_BLOCK = 1;
export const CLOSE_BLOCK = 2;

/** A run of consecutive candles. */
export interface CandleRun {
  /** Index: candle; strides as in `CandleSlab`. */
  readonly marks: Uint32Array;
  readonly values: Float64Array;
  /** The first candle, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

const CHUNK_BYTES = CANDLES_A_CHUNK * (8 * VALUES + 4 * MARKS) + 2 * 4 + 1;

/**
 * Candles in chunks of a fixed size, all allocated at once (the system gives memory when it is
 * first written). A series is a chain of chunks; starts ascend within a chunk and along the chain.
 * Every chunk of a chain has at least one candle.
 */
export class CandleSlab {
  static readonly CHUNK_BYTES = CHUNK_BYTES;

  /** Index: `CANDLES_A_CHUNK` × chunk + position; stride `VALUES`, as in `BlockCandles`. */
  readonly values: Float64Array;
  /** Index: as in `values`; stride `MARKS`. */
  readonly marks: Uint32Array;
  /** Index: chunk. Neighbours in its chain, or NO_CHUNK; `older` also links the free chunks. */
  readonly older: Int32Array;
  readonly newer: Int32Array;
  readonly counts: Uint8Array;
  freeCount: number;
  #free = NO_CHUNK;
  /** Chunks from here on were never used. */
  #untouched = 0;

  constructor(chunkCount: number) {
    this.values = new Float64Array(chunkCount * CANDLES_A_CHUNK * VALUES);
    this.marks = new Uint32Array(chunkCount * CANDLES_A_CHUNK * MARKS);
    this.older = new Int32Array(chunkCount);
    this.newer = new Int32Array(chunkCount);
    this.counts = new Uint8Array(chunkCount);
    this.freeCount = chunkCount;
  }

  clear(): void {
    this.freeCount = this.counts.length;
    this.#free = NO_CHUNK;
    this.#untouched = 0;
  }

  /**
   * An empty chunk between two of a chain, either of which may be NO_CHUNK. A chunk must be free.
   */
  take(older: number, newer: number): number {
    let chunk = this.#free;
    if (chunk === NO_CHUNK) chunk = this.#untouched++;
    else this.#free = this.older[chunk]!;
    this.freeCount--;
    this.counts[chunk] = 0;
    this.older[chunk] = older;
    this.newer[chunk] = newer;
    if (older !== NO_CHUNK) this.newer[older] = chunk;
    if (newer !== NO_CHUNK) this.older[newer] = chunk;
    return chunk;
  }

  /** Gives back the oldest chunk of a chain. */
  releaseOldest(chunk: number): void {
    const newer = this.newer[chunk]!;
    if (newer !== NO_CHUNK) this.older[newer] = NO_CHUNK;
    this.older[chunk] = this.#free;
    this.#free = chunk;
    this.freeCount++;
  }

  start(chunk: number, position: number): number {
    return this.marks[MARKS * (CANDLES_A_CHUNK * chunk + position) + START]!;
  }

  firstStart(chunk: number): number {
    return this.start(chunk, 0);
  }

  lastStart(chunk: number): number {
    return this.start(chunk, this.counts[chunk]! - 1);
  }

  /** How many candles of the chunk start before `start`. */
  positionOf(chunk: number, start: number): number {
    let position = this.counts[chunk]!;
    while (position > 0 && this.start(chunk, position - 1) >= start) position--;
    return position;
  }

  /** Makes room for a candle without values at a position of a chunk that is not full. */
  open(chunk: number, position: number, start: number): void {
    const at = CANDLES_A_CHUNK * chunk + position;
    this.#move(at, at + 1, this.counts[chunk]! - position);
    this.values.fill(0, VALUES * at, VALUES * (at + 1));
    this.marks.fill(0, MARKS * at, MARKS * (at + 1));
    this.marks[MARKS * at + START] = start;
    this.counts[chunk]!++;
  }

  /** Fills an empty chunk with candles, no more than it holds. */
  fill(chunk: number, { marks, values, from, to }: CandleRun): void {
    const first = CANDLES_A_CHUNK * chunk;
    // A loop copies so few numbers faster than a call does.
    for (let at = MARKS * from, own = MARKS * first; at < MARKS * to; ) {
      this.marks[own++] = marks[at++]!;
    }
    for (let at = VALUES * from, own = VALUES * first; at < VALUES * to; ) {
      this.values[own++] = values[at++]!;
    }
    this.counts[chunk] = to - from;
  }

  /** Moves the newer half of a full chunk into an empty one. */
  halve(chunk: number, into: number): void {
    const half = CANDLES_A_CHUNK / 2;
    this.#move(CANDLES_A_CHUNK * chunk + half, CANDLES_A_CHUNK * into, half);
    this.counts[chunk] = half;
    this.counts[into] = half;
  }

  /** Merges a block's values into a candle; either may be older. */
  merge(candle: number, block: BlockCandles, position: number): void {
    const { values, marks } = this;
    const at = VALUES * candle;
    const from = VALUES * position;
    values[at + VOLUME]! += block.values[from + VOLUME]!;
    const open = block.values[from + OPEN]!;
    if (open === 0) return;
    const number = block.stamp.number;
    const isFirst = values[at + OPEN] === 0;
    if (isFirst || number < marks[MARKS * candle + OPEN_BLOCK]!) {
      values[at + OPEN] = open;
      marks[MARKS * candle + OPEN_BLOCK] = number;
    }
    if (isFirst || number > marks[MARKS * candle + CLOSE_BLOCK]!) {
      values[at + CLOSE] = block.values[from + CLOSE]!;
      marks[MARKS * candle + CLOSE_BLOCK] = number;
    }
    const high = block.values[from + HIGH]!;
    const low = block.values[from + LOW]!;
    if (isFirst || high > values[at + HIGH]!) values[at + HIGH] = high;
    if (isFirst || low < values[at + LOW]!) values[at + LOW] = low;
  }

  #move(from: number, to: number, count: number): void {
    this.values.copyWithin(VALUES * to, VALUES * from, VALUES * (from + count));
    this.marks.copyWithin(MARKS * to, MARKS * from, MARKS * (from + count));
  }
}

import { type BlockCandles, CLOSE, HIGH, LOW, OPEN, VALUES, VOLUME } from "./blockCandles.ts";

export const CANDLES_A_PIECE = 8;
export const NO_PIECE = -1;
/** Numbers that a candle has beside its values. */
export const MARKS = 3;
/** Seconds since 1970. */
export const START = 0;
/** Numbers of the blocks that its open and its close are of. */
export const OPEN_BLOCK = 1;
export const CLOSE_BLOCK = 2;

/** Some candles of many. */
export interface CandleRun {
  /** Index: candle; strides as in `CandleSlab`. */
  readonly marks: Uint32Array;
  readonly values: Float64Array;
  /** The first candle, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

const PIECE_BYTES = CANDLES_A_PIECE * (8 * VALUES + 4 * MARKS) + 2 * 4 + 1;

/**
 * Candles in pieces of a fixed size, all taken at once (the system gives memory as it is first
 * written). A series is a chain of pieces; in a piece, and along the chain, starts ascend. Every
 * piece of a chain holds at least one candle.
 */
export class CandleSlab {
  static readonly PIECE_BYTES = PIECE_BYTES;

  /** Index: `CANDLES_A_PIECE` × piece + place; stride `VALUES`, as in `BlockCandles`. */
  readonly values: Float64Array;
  /** Index: as of values; stride `MARKS`. */
  readonly marks: Uint32Array;
  /** Index: piece. Neighbours in its chain, or NO_PIECE; `older` also links the free ones. */
  readonly older: Int32Array;
  readonly newer: Int32Array;
  readonly counts: Uint8Array;
  freeCount: number;
  #free = NO_PIECE;
  /** Pieces from here on were never taken. */
  #untouched = 0;

  constructor(pieceCount: number) {
    this.values = new Float64Array(pieceCount * CANDLES_A_PIECE * VALUES);
    this.marks = new Uint32Array(pieceCount * CANDLES_A_PIECE * MARKS);
    this.older = new Int32Array(pieceCount);
    this.newer = new Int32Array(pieceCount);
    this.counts = new Uint8Array(pieceCount);
    this.freeCount = pieceCount;
  }

  clear(): void {
    this.freeCount = this.counts.length;
    this.#free = NO_PIECE;
    this.#untouched = 0;
  }

  /** An empty piece between two of a chain, either of which may be NO_PIECE. One must be free. */
  take(older: number, newer: number): number {
    let piece = this.#free;
    if (piece === NO_PIECE) piece = this.#untouched++;
    else this.#free = this.older[piece]!;
    this.freeCount--;
    this.counts[piece] = 0;
    this.older[piece] = older;
    this.newer[piece] = newer;
    if (older !== NO_PIECE) this.newer[older] = piece;
    if (newer !== NO_PIECE) this.older[newer] = piece;
    return piece;
  }

  /** Gives back the oldest piece of a chain. */
  releaseOldest(piece: number): void {
    const newer = this.newer[piece]!;
    if (newer !== NO_PIECE) this.older[newer] = NO_PIECE;
    this.older[piece] = this.#free;
    this.#free = piece;
    this.freeCount++;
  }

  start(piece: number, place: number): number {
    return this.marks[MARKS * (CANDLES_A_PIECE * piece + place) + START]!;
  }

  firstStart(piece: number): number {
    return this.start(piece, 0);
  }

  lastStart(piece: number): number {
    return this.start(piece, this.counts[piece]! - 1);
  }

  /** How many candles of the piece start before that. */
  placeOf(piece: number, start: number): number {
    let place = this.counts[piece]!;
    while (place > 0 && this.start(piece, place - 1) >= start) place--;
    return place;
  }

  /** Makes room for a candle without values at a place of a piece that is not full. */
  open(piece: number, place: number, start: number): void {
    const at = CANDLES_A_PIECE * piece + place;
    this.#move(at, at + 1, this.counts[piece]! - place);
    this.values.fill(0, VALUES * at, VALUES * (at + 1));
    this.marks.fill(0, MARKS * at, MARKS * (at + 1));
    this.marks[MARKS * at + START] = start;
    this.counts[piece]!++;
  }

  /** Gives an empty piece its candles, no more than it holds. */
  fill(piece: number, { marks, values, from, to }: CandleRun): void {
    const first = CANDLES_A_PIECE * piece;
    // So few numbers are copied faster one by one than by a call.
    for (let at = MARKS * from, own = MARKS * first; at < MARKS * to; ) {
      this.marks[own++] = marks[at++]!;
    }
    for (let at = VALUES * from, own = VALUES * first; at < VALUES * to; ) {
      this.values[own++] = values[at++]!;
    }
    this.counts[piece] = to - from;
  }

  /** Moves the newer half of a full piece into an empty one. */
  halve(piece: number, into: number): void {
    const half = CANDLES_A_PIECE / 2;
    this.#move(CANDLES_A_PIECE * piece + half, CANDLES_A_PIECE * into, half);
    this.counts[piece] = half;
    this.counts[into] = half;
  }

  /** Adds what a block says to a candle, whichever of them is older. */
  merge(candle: number, block: BlockCandles, place: number): void {
    const { values, marks } = this;
    const at = VALUES * candle;
    const from = VALUES * place;
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

import { type BlockCandles, OPEN, VALUES } from "./blockCandles.ts";
import { CANDLES_A_CHUNK, type CandleRun, CandleSlab, NO_CHUNK } from "./CandleSlab.ts";
import { IdleQueue } from "./IdleQueue.ts";
import { SubjectTable } from "./SubjectTable.ts";

/** Lengths of the kept candles, in seconds; others are made of these. */
export const BASES = [60, 3_600, 86_400] as const;
const BASE_COUNT = BASES.length;

/** Limit of one series: a week of minutes. */
const SERIES_CHUNKS_MAX = 10_080 / CANDLES_A_CHUNK;

/**
 * Per record: its key, last trade and position in the queue; for each series the ends, count and
 * floor.
 */
const RECORD_BYTES = 4 + 4 + 2 * 4 + 1 + BASE_COUNT * (4 + 4 + 2 + 4);
/** A table has at most four slots for each subject that it is made for. */
const TABLE_BYTES = 4 * 8;
const ABSENT = -1;

/**
 * Candles of all subjects, in memory that is allocated once. A subject's record has a series of
 * each base length. When memory is short, the subject that has been idle the longest gives up its
 * oldest candles, the shortest ones first, and finally its record.
 *
 * This never leaves a partial candle: each series has a floor, and a candle that starts at or
 * before it is not kept, since a part of it may have been forgotten.
 */
export class SettledCandles {
  readonly slab: CandleSlab;
  readonly #records: SubjectTable;
  readonly #subjects: Uint32Array; // index: record; of a free one, the next free one + 1
  readonly #lastTrades: Uint32Array; // index: record; in seconds
  readonly #isPriced: Uint8Array; // index: record; 1 when one of its candles has a price
  // Index: BASE_COUNT × record + base.
  readonly #oldest: Int32Array;
  readonly #newest: Int32Array;
  readonly #chunkCounts: Uint16Array;
  readonly #floors: Uint32Array;
  readonly #idle: IdleQueue;
  #free = 0; // a free record + 1
  /** Records from here on were never used. */
  #untouched = 0;
  #forgotten = 0;

  constructor(budgetBytes: number) {
    const recordBytes = BASE_COUNT * CandleSlab.CHUNK_BYTES + RECORD_BYTES + TABLE_BYTES;
    const count = Math.floor(budgetBytes / recordBytes);
    this.slab = new CandleSlab(BASE_COUNT * count);
    this.#records = new SubjectTable(count);
    this.#subjects = new Uint32Array(count);
    this.#lastTrades = new Uint32Array(count);
    this.#isPriced = new Uint8Array(count);
    this.#oldest = new Int32Array(BASE_COUNT * count);
    this.#newest = new Int32Array(BASE_COUNT * count);
    this.#chunkCounts = new Uint16Array(BASE_COUNT * count);
    this.#floors = new Uint32Array(BASE_COUNT * count);
    this.#idle = new IdleQueue(this.#lastTrades);
  }

  /** Every trade that was forgotten with a whole record is at or before this time, in seconds. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Bytes of the records and chunks in use, out of those allocated. */
  get byteLength(): number {
    const chunks = this.slab.counts.length - this.slab.freeCount;
    return this.#records.size * RECORD_BYTES + chunks * CandleSlab.CHUNK_BYTES;
  }

  /** Forgets everything; `forgotten` comes from what is to be restored. */
  clear(forgotten = 0): void {
    this.slab.clear();
    this.#records.clear();
    this.#idle.clear();
    this.#free = 0;
    this.#untouched = 0;
    this.#forgotten = forgotten;
  }

  /** Adds a block for good. */
  foldAll(block: BlockCandles): void {
    for (let position = 0; position < block.subjects.length; position++)
      this.#fold(block, position);
  }

  #fold(block: BlockCandles, position: number): void {
    const subject = block.subjects[position]!;
    const seconds = secondsOf(block);
    let record = this.#records.get(subject);
    if (!this.#wants(record, seconds)) return;
    if (this.#isShort(record === ABSENT)) {
      if (!this.#evictFor(record, seconds)) return;
      // Eviction may have raised the floors, or removed this very record.
      record = this.#records.get(subject);
      if (!this.#wants(record, seconds)) return;
    }
    if (record === ABSENT) record = this.#addRecord(subject, seconds);
    for (let base = 0; base < BASE_COUNT; base++) {
      const start = seconds - (seconds % BASES[base]!);
      if (start <= this.#floors[BASE_COUNT * record + base]!) continue;
      this.slab.merge(this.#candle(BASE_COUNT * record + base, start), block, position);
    }
    if (seconds > this.#lastTrades[record]!) this.#lastTrades[record] = seconds;
    if (block.values[VALUES * position + OPEN]! > 0) this.#isPriced[record] = 1;
  }

  /** True when the subject has, or had in its present record, a candle with a price. */
  has(subject: number): boolean {
    const record = this.#records.get(subject);
    return record !== ABSENT && this.#isPriced[record] === 1;
  }

  /** The start, in seconds, up to which nothing is kept, and nothing may be answered. */
  floor(subject: number, base: number): number {
    const record = this.#records.get(subject);
    return record === ABSENT ? this.#forgotten : this.#floors[BASE_COUNT * record + base]!;
  }

  /**
   * Visits the series' candles with starts between two times (in seconds), newest first, while
   * `visit` gives true.
   */
  visit(
    subject: number,
    base: number,
    from: number,
    to: number,
    visit: (candle: number) => boolean,
  ): void {
    const record = this.#records.get(subject);
    if (record === ABSENT) return;
    const { slab } = this;
    let chunk = this.#newest[BASE_COUNT * record + base]!;
    for (; chunk !== NO_CHUNK; chunk = slab.older[chunk]!) {
      if (slab.firstStart(chunk) > to) continue;
      for (let position = slab.counts[chunk]! - 1; position >= 0; position--) {
        const start = slab.start(chunk, position);
        if (start > to) continue;
        if (start < from || !visit(CANDLES_A_CHUNK * chunk + position)) return;
      }
    }
  }

  /** All records, the idlest first; those of equal time by subject. */
  records(): Uint32Array {
    const count = this.#records.size;
    // Pairs of the subject and its time, which is the upper half of a little-endian 64-bit number.
    const keys = new Uint32Array(2 * count);
    let at = 0;
    for (let record = 0; record < this.#untouched; record++) {
      const subject = this.#subjects[record]!;
      if (this.#records.get(subject) !== record) continue;
      keys[at++] = subject;
      keys[at++] = this.#lastTrades[record]!;
    }
    // Without a comparison function it takes a tenth of the time.
    new BigUint64Array(keys.buffer).sort();
    return Uint32Array.from({ length: count }, (_, position) =>
      this.#records.get(keys[2 * position]!),
    );
  }

  subjectOf(record: number): number {
    return this.#subjects[record]!;
  }

  lastTradeOf(record: number): number {
    return this.#lastTrades[record]!;
  }

  /** The oldest chunk of a record's series, or NO_CHUNK; `slab.newer` leads on from it. */
  oldestChunk(record: number, base: number): number {
    return this.#oldest[BASE_COUNT * record + base]!;
  }

  /** A new record without candles. There must be room for it, and candles must follow. */
  #addRecord(subject: number, lastTrade: number): number {
    let record = this.#free - 1;
    if (record < 0) record = this.#untouched++;
    else this.#free = this.#subjects[record]!;
    this.#records.set(subject, record);
    this.#subjects[record] = subject;
    this.#lastTrades[record] = lastTrade;
    this.#isPriced[record] = 0;
    const first = BASE_COUNT * record;
    this.#oldest.fill(NO_CHUNK, first, first + BASE_COUNT);
    this.#newest.fill(NO_CHUNK, first, first + BASE_COUNT);
    this.#chunkCounts.fill(0, first, first + BASE_COUNT);
    this.#floors.fill(this.#forgotten, first, first + BASE_COUNT);
    this.#idle.add(record);
    return record;
  }

  /**
   * A record to be restored; undefined when the subject has one. Idler records go where there is no
   * room.
   */
  restoreRecord(subject: number, lastTrade: number, floors: Uint32Array): number | undefined {
    if (this.#records.get(subject) !== ABSENT) return undefined;
    this.#evict(true);
    const record = this.#addRecord(subject, lastTrade);
    this.#floors.set(floors, BASE_COUNT * record);
    return record;
  }

  /**
   * Adds candles, at most a chunk of them, to a record being restored; their starts must ascend.
   */
  restoreChunk(record: number, base: number, candles: CandleRun): void {
    this.#evict(false);
    const series = BASE_COUNT * record + base;
    this.slab.fill(this.#addChunk(series, this.#newest[series]!, NO_CHUNK), candles);
    for (let candle = candles.from; candle < candles.to; candle++) {
      if (candles.values[VALUES * candle + OPEN]! > 0) this.#isPriced[record] = 1;
    }
    if (this.#chunkCounts[series]! > SERIES_CHUNKS_MAX) this.#dropOldest(series);
  }

  /** Whether any candle of a block at that time would be kept; the record may be absent. */
  #wants(record: number, seconds: number): boolean {
    for (let base = 0; base < BASE_COUNT; base++) {
      const start = seconds - (seconds % BASES[base]!);
      const floor = record === ABSENT ? this.#forgotten : this.#floors[BASE_COUNT * record + base]!;
      if (start > floor) return true;
    }
    return false;
  }

  /** False when there is no record, and the subject is idler than all that have one. */
  #evictFor(record: number, seconds: number): boolean {
    const isNew = record === ABSENT;
    if (isNew && seconds <= this.#lastTrades[this.#idle.idlest()]!) {
      this.#forgotten = Math.max(this.#forgotten, seconds);
      return false;
    }
    this.#evict(isNew);
    return true;
  }

  #evict(isNew: boolean): void {
    while (this.#isShort(isNew)) this.#trimIdlest();
  }

  /** A block may need a new chunk in each of a subject's series. */
  #isShort(isNew: boolean): boolean {
    return (
      this.slab.freeCount < BASE_COUNT || (isNew && this.#idle.count === this.#subjects.length)
    );
  }

  #trimIdlest(): void {
    const record = this.#idle.idlest();
    const first = BASE_COUNT * record;
    for (let series = first; series < first + BASE_COUNT; series++) {
      if (this.#chunkCounts[series]! > 1) return this.#dropOldest(series);
    }
    for (let series = first; series < first + BASE_COUNT; series++) {
      if (this.#chunkCounts[series]! > 0) this.#dropOldest(series);
    }
    this.#forgotten = Math.max(this.#forgotten, this.#lastTrades[record]!);
    this.#records.delete(this.#subjects[record]!);
    this.#idle.removeIdlest();
    this.#subjects[record] = this.#free;
    this.#free = record + 1;
  }

  #dropOldest(series: number): void {
    const chunk = this.#oldest[series]!;
    this.#floors[series] = Math.max(this.#floors[series]!, this.slab.lastStart(chunk));
    this.#oldest[series] = this.slab.newer[chunk]!;
    if (this.#newest[series] === chunk) this.#newest[series] = NO_CHUNK;
    this.slab.releaseOldest(chunk);
    this.#chunkCounts[series]!--;
  }

  /** The series' candle with that start, a new one if need be. */
  #candle(series: number, start: number): number {
    const { slab } = this;
    let chunk = this.#newest[series]!;
    if (chunk === NO_CHUNK) {
      chunk = this.#addChunk(series, NO_CHUNK, NO_CHUNK);
    } else if (start < slab.firstStart(this.#oldest[series]!)) {
      // The past is mostly published newest first: then the candle goes here.
      chunk = this.#oldest[series]!;
    } else {
      while (start < slab.firstStart(chunk)) chunk = slab.older[chunk]!;
    }
    let position = slab.positionOf(chunk, start);
    const isKnown = position < slab.counts[chunk]! && slab.start(chunk, position) === start;
    if (!isKnown) {
      if (slab.counts[chunk] === CANDLES_A_CHUNK) {
        if (position === 0) {
          chunk = this.#addChunk(series, NO_CHUNK, chunk);
        } else if (position === CANDLES_A_CHUNK) {
          chunk = this.#addChunk(series, chunk, slab.newer[chunk]!);
        } else {
          const upper = this.#addChunk(series, chunk, slab.newer[chunk]!);
          slab.halve(chunk, upper);
          if (position > slab.counts[chunk]!) chunk = upper;
        }
        position = slab.positionOf(chunk, start);
      }
      slab.open(chunk, position, start);
      // If the candle itself is in the dropped chunk, it is written to in vain.
      if (this.#chunkCounts[series]! > SERIES_CHUNKS_MAX) this.#dropOldest(series);
    }
    return CANDLES_A_CHUNK * chunk + position;
  }

  /** A new chunk between neighbours of a chain; NO_CHUNK stands for an end. */
  #addChunk(series: number, older: number, newer: number): number {
    const chunk = this.slab.take(older, newer);
    if (older === NO_CHUNK) this.#oldest[series] = chunk;
    if (newer === NO_CHUNK) this.#newest[series] = chunk;
    this.#chunkCounts[series]!++;
    return chunk;
  }
}

export function secondsOf(block: BlockCandles): number {
  return Math.floor(block.stamp.timestampMs / 1_000);
}

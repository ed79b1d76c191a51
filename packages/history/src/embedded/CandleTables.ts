import { type CandleDraft, mergeCandle } from "../candles/CandleDraft.ts";
import type { SpanCandles } from "../candles/FoundCandles.ts";
import {
  CANDLE_NUMBERS,
  decodeSpan,
  encodeSpan,
  numbersInto,
  readSpan,
  SPAN_NUMBERS,
  type Span,
} from "../candles/spanBytes.ts";
import {
  type Checked,
  crcOf,
  DamagedRow,
  isSound,
  type Statements,
  type SubjectHour,
} from "./Statements.ts";

const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3_600;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** A subject's hours have consecutive numbers; there is room for four centuries. */
const HOURS = 2 ** 22;
/** Days have as much room, so that the arithmetic of an hour's number also holds for a day's. */
const DAYS = HOURS;

/** The candles of an hour; slots are minutes. */
interface HourCandles {
  readonly hour: CandleDraft;
  /** The only minute with a candle; undefined where there are several, in a row of `minutes`. */
  readonly minute: number | undefined;
}

/** By hour of the day. */
type DayCandles = Map<number, HourCandles>;

/** Candles to add: by subject and hour, and then by minute. */
export type CandleParts = Map<number, Span>;

/**
 * The candles of all indexed blocks. A row of `days` has a subject's candles of the hours of a day;
 * a row of `minutes` those of the minutes of an hour. Most hours of most subjects have one minute:
 * its candle is that of the hour, and there is no row.
 */
export class CandleTables {
  readonly #statements: Statements;
  /** Numbers of the span being read. */
  readonly #numbers = new Float64Array(SPAN_NUMBERS);

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Adds what happened at a time to a set of changes. */
  static add(parts: CandleParts, subject: number, seconds: number, part: CandleDraft): void {
    const key = subject * HOURS + Math.floor(seconds / HOUR_SECONDS);
    const minute = Math.floor((seconds % HOUR_SECONDS) / MINUTE_SECONDS);
    let slots = parts.get(key);
    if (slots === undefined) {
      slots = new Map();
      parts.set(key, slots);
    }
    addTo(slots, minute, part);
  }

  /** Adds an hour without candles. */
  static addHour(parts: CandleParts, subject: number, hour: number): void {
    parts.set(subject * HOURS + hour, new Map());
  }

  /** Merges changes into the kept candles. */
  merge(parts: CandleParts): void {
    this.#writeHours(parts, (key, was) => {
      if (was === undefined) return new Map();
      if (was.minute === undefined) return decodeSpan(this.#minuteBytes(key));
      return new Map([[was.minute, was.hour]]);
    });
  }

  /** Replaces hours by the minutes given; an hour without minutes is removed. */
  replace(parts: CandleParts): void {
    this.#writeHours(parts, () => new Map());
  }

  /** A subject's candles of hours between two times (in seconds), day by day, the newest first. */
  *hours(subject: number, from: number, to: number): Generator<SpanCandles> {
    const numbers = this.#numbers;
    for (const { day, candles } of this.#days(subject, from, to)) {
      let count = 0;
      for (const [hour, { hour: candle }] of [...candles].sort(([a], [b]) => a - b)) {
        numbersInto(numbers, CANDLE_NUMBERS * count++, hour, candle);
      }
      const startSeconds = day * DAY_HOURS * HOUR_SECONDS;
      yield { startSeconds, slotSeconds: HOUR_SECONDS, numbers, count };
    }
  }

  /**
   * A subject's candles of minutes between two times (in seconds), hour by hour, the newest first.
   */
  *minutes(subject: number, from: number, to: number): Generator<SpanCandles> {
    for (const { day, candles } of this.#days(subject, from, to)) {
      for (const [at, { hour, minute }] of [...candles].sort(([a], [b]) => b - a)) {
        const number = day * DAY_HOURS + at;
        const startSeconds = number * HOUR_SECONDS;
        if (startSeconds > to || startSeconds + HOUR_SECONDS <= from) continue;
        const numbers = this.#numbers;
        let count = 1;
        if (minute === undefined) {
          count = readSpan(this.#minuteBytes(subject * HOURS + number), numbers);
        } else numbersInto(numbers, 0, minute, hour);
        yield { startSeconds, slotSeconds: MINUTE_SECONDS, numbers, count };
      }
    }
  }

  /** Forgets the days in which these changes fall. */
  forgetDays(parts: CandleParts): void {
    const days = new Set([...parts.keys()].map(dayOf));
    for (const day of days) {
      this.#statements.run("DELETE FROM days WHERE place = ?", day);
      const [first, last] = hoursOf(day);
      this.#statements.run("DELETE FROM minutes WHERE place BETWEEN ? AND ?", first, last);
    }
  }

  /** Subjects with candles on the day of an hour; slow, since it scans all rows. */
  subjectsAround(hour: number): ReadonlyArray<number> {
    const sql = "SELECT place / ?1 AS subject FROM days WHERE place % ?1 = ?2";
    const day = Math.floor(hour / DAY_HOURS);
    const rows = this.#statements.all<{ subject: number }>(sql, DAYS, day);
    return rows.map(({ subject }) => subject);
  }

  /** Where candles are damaged: an hour, or the first hour of a damaged day. */
  damaged(): ReadonlyArray<SubjectHour> {
    const found: SubjectHour[] = [];
    for (const row of this.#statements.each<Row>("SELECT place, bytes, checksum FROM days")) {
      if (!isSound(row, row.place)) found.push(subjectHour(hoursOf(row.place)[0]));
    }
    for (const row of this.#statements.each<Row>("SELECT place, bytes, checksum FROM minutes")) {
      if (!isSound(row, row.place)) found.push(subjectHour(row.place));
    }
    return found;
  }

  /** The hours to make anew for a damaged one: the whole day, where the day is damaged. */
  hoursToMend({ subject, hour }: SubjectHour): ReadonlyArray<number> {
    const day = Math.floor(hour / DAY_HOURS);
    const row = this.#row("days", subject * DAYS + day);
    if (row === undefined || isSound(row, row.place)) return [hour];
    this.#statements.run("DELETE FROM days WHERE place = ?", row.place);
    return Array.from({ length: DAY_HOURS }, (_, at) => DAY_HOURS * day + at);
  }

  /** `before` gives the minutes that each hour starts from. */
  #writeHours(parts: CandleParts, before: (key: number, was: HourCandles | undefined) => Span) {
    const days = new Map<number, DayCandles>();
    for (const [key, added] of parts) {
      const place = dayOf(key);
      const day = days.get(place) ?? this.#day(place);
      days.set(place, day);
      const hour = (key % HOURS) % DAY_HOURS;
      const was = day.get(hour);
      const minutes = before(key, was);
      for (const [minute, part] of added) addTo(minutes, minute, part);
      if (minutes.size === 0) day.delete(hour);
      else day.set(hour, hourCandles(minutes));
      if (minutes.size > 1) this.#write("minutes", key, encodeSpan(minutes));
      else if (was !== undefined && was.minute === undefined) this.#delete("minutes", key);
    }
    for (const [place, day] of days) {
      if (day.size === 0) this.#delete("days", place);
      else this.#write("days", place, encodeDay(day));
    }
  }

  *#days(subject: number, from: number, to: number) {
    const seconds = DAY_HOURS * HOUR_SECONDS;
    const first = subject * DAYS + Math.max(0, Math.floor(from / seconds));
    const last = subject * DAYS + Math.min(DAYS - 1, Math.floor(to / seconds));
    const sql = `SELECT place, bytes, checksum FROM days
      WHERE place BETWEEN ? AND ? ORDER BY place DESC`;
    for (const row of this.#statements.each<Row>(sql, first, last)) {
      yield { day: row.place % DAYS, candles: this.#opened(row) };
    }
  }

  #day(place: number): DayCandles {
    const row = this.#row("days", place);
    return row === undefined ? new Map() : this.#opened(row);
  }

  #opened(row: Row): DayCandles {
    if (isSound(row, row.place)) return decodeDay(row.bytes);
    throw new DamagedRow({ kind: "candles", ...subjectHour(hoursOf(row.place)[0]) });
  }

  /** A missing row counts as damaged: the day says that this hour has several minutes. */
  #minuteBytes(place: number): Uint8Array {
    const row = this.#row("minutes", place);
    if (row !== undefined && isSound(row, place)) return row.bytes;
    throw new DamagedRow({ kind: "candles", ...subjectHour(place) });
  }

  #row(table: Table, place: number): Row | undefined {
    const sql = `SELECT place, bytes, checksum FROM ${table} WHERE place = ?`;
    return this.#statements.get<Row>(sql, place);
  }

  #write(table: Table, place: number, bytes: Uint8Array): void {
    const sql = `INSERT INTO ${table} VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET bytes = excluded.bytes, checksum = excluded.checksum`;
    this.#statements.run(sql, place, bytes, crcOf(bytes, place));
  }

  #delete(table: Table, place: number): void {
    this.#statements.run(`DELETE FROM ${table} WHERE place = ?`, place);
  }
}

type Table = "days" | "minutes";

interface Row extends Checked {
  readonly place: number;
}

const dayOf = (key: number): number =>
  Math.floor(key / HOURS) * DAYS + Math.floor((key % HOURS) / DAY_HOURS);

/** The first and the last hour of a day, of one subject. */
function hoursOf(day: number): readonly [first: number, last: number] {
  const first = Math.floor(day / DAYS) * HOURS + (day % DAYS) * DAY_HOURS;
  return [first, first + DAY_HOURS - 1];
}

const subjectHour = (key: number): SubjectHour => ({
  subject: Math.floor(key / HOURS),
  hour: key % HOURS,
});

function addTo(slots: Span, slot: number, part: CandleDraft): void {
  const draft = slots.get(slot);
  if (draft === undefined) slots.set(slot, { ...part });
  else mergeCandle(draft, part);
}

/** The candle that all minutes of an hour make up. */
function hourCandles(minutes: Span): HourCandles {
  const ascending = [...minutes].sort(([a], [b]) => a - b);
  const [[minute, first] = [], ...others] = ascending;
  const hour = { ...first! };
  for (const [, part] of others) mergeCandle(hour, part);
  return { hour, minute: others.length === 0 ? minute : undefined };
}

function encodeDay(day: DayCandles): Uint8Array {
  const slots = [...day].map(([hour, { hour: candle, minute }]) => {
    return [
      minute === undefined ? hour : DAY_HOURS + HOUR_MINUTES * hour + minute,
      candle,
    ] as const;
  });
  return encodeSpan(new Map(slots), DAY_HOURS);
}

function decodeDay(bytes: Uint8Array): DayCandles {
  const day: DayCandles = new Map();
  for (const [slot, hour] of decodeSpan(bytes, DAY_HOURS)) {
    const part = slot - DAY_HOURS;
    if (part < 0) day.set(slot, { hour, minute: undefined });
    else day.set(Math.floor(part / HOUR_MINUTES), { hour, minute: part % HOUR_MINUTES });
  }
  return day;
}

import { Histogram } from "./Histogram.ts";

/** One more than the greatest status of an answer. */
const STATUS_END = 600;
/** Upper bounds of buckets, in milliseconds. */
const QUOTE_BOUNDS_MS = [0.005, 0.01, 0.015, 0.02, 0.03, 0.06, 0.1, 0.25, 1, 5, 25];
const HEAVY_BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];

/** The order of a thread's numbers in memory; statuses and buckets follow. */
const FIELDS = [
  "shed",
  "refused",
  "open",
  "waiting",
  "late",
  "inFlight",
  "holdMs",
  "torn",
  "batches",
] as const;

type Field = (typeof FIELDS)[number];

const QUOTES_AT = FIELDS.length;
const TOKENS_AT = QUOTES_AT + STATUS_END;
const DURATIONS_AT = TOKENS_AT + STATUS_END;
const HEAVY_AT = DURATIONS_AT + Histogram.lengthOf(QUOTE_BOUNDS_MS);
const LENGTH = HEAVY_AT + Histogram.lengthOf(HEAVY_BOUNDS_MS);

/**
 * The counts of a serving thread. Other threads may read them, and they outlive the thread. Only
 * one thread at a time writes them.
 */
export class ServingCounts {
  /** Answers to quotes, and to GET /tokens/:address; index: status. */
  readonly quoteAnswers: Float64Array;
  readonly tokenAnswers: Float64Array;
  readonly quotes: Histogram;
  readonly heavyQuotes: Histogram;
  readonly #fields: Float64Array;

  constructor(buffer: ArrayBufferLike = new ArrayBuffer(ServingCounts.bytes)) {
    const part = (at: number, length: number) => new Float64Array(buffer, 8 * at, length);
    this.#fields = part(0, FIELDS.length);
    this.quoteAnswers = part(QUOTES_AT, STATUS_END);
    this.tokenAnswers = part(TOKENS_AT, STATUS_END);
    this.quotes = new Histogram(
      "millrace_quote_duration_seconds",
      "Time from a quote's parsed request line to its answer.",
      QUOTE_BOUNDS_MS,
      part(DURATIONS_AT, Histogram.lengthOf(QUOTE_BOUNDS_MS)),
    );
    this.heavyQuotes = new Histogram(
      "millrace_heavy_quote_duration_seconds",
      "The same of quotes with many splits, long paths, explain or assume, waiting included.",
      HEAVY_BOUNDS_MS,
      part(HEAVY_AT, Histogram.lengthOf(HEAVY_BOUNDS_MS)),
    );
  }

  /** The size of the memory. */
  static readonly bytes = 8 * LENGTH;

  get(field: Field): number {
    return this.#fields[FIELDS.indexOf(field)]!;
  }

  set(field: Field, value: number): void {
    this.#fields[FIELDS.indexOf(field)] = value;
  }

  add(field: Field, count: number): void {
    this.#fields[FIELDS.indexOf(field)]! += count;
  }

  /** The thread is gone: its totals stay, and its gauges become 0. */
  gone(): void {
    for (const field of ["open", "waiting", "late", "inFlight", "holdMs"] as const)
      this.set(field, 0);
  }
}

/** The sum of a number over threads. */
export const sumOfCounts = (all: Iterable<ServingCounts>, field: Field): number => {
  let sum = 0;
  for (const counts of all) sum += counts.get(field);
  return sum;
};

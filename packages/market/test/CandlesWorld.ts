import { assert } from "@effect/vitest";
import { CANDLE_LENGTHS, type Candle, type CandleRange } from "../src/candles/Candle.ts";
import { Candles } from "../src/candles/Candles.ts";
import {
  addBlock,
  randomBlock,
  referenceCandles,
  type Subject,
  stampOf,
  type Traffic,
  type TrafficBlock,
} from "./candlesReference.ts";
import { savedCandles } from "./savedCandles.ts";

export const ALL: CandleRange = { limit: Number.POSITIVE_INFINITY };
export const NOON = 1_750_000_000;

/** Candles, and the blocks that they should be of. */
export class World {
  candles: Candles;
  readonly published = new Map<number, TrafficBlock>();
  readonly #next: () => number;
  #number = 100;
  #seconds = NOON;
  #branch = 0;

  constructor(candles: Candles, next: () => number) {
    this.candles = candles;
    this.#next = next;
  }

  /** Blocks that go on from the last one, up to so many seconds apart. */
  make(count: number, secondsApart: number, traffic: Traffic): TrafficBlock[] {
    return Array.from({ length: count }, () => {
      this.#seconds += Math.floor(secondsApart * this.#next());
      const stamp = stampOf(++this.#number, this.#seconds, this.#branch);
      return randomBlock(this.#next, stamp, traffic);
    });
  }

  /** New blocks, published in any order. */
  grow(count: number, secondsApart: number, traffic: Traffic): void {
    for (const block of shuffled(this.make(count, secondsApart, traffic), this.#next))
      this.publish(block);
  }

  publish(block: TrafficBlock): void {
    addBlock(this.candles, block, (token) => block.prices.get(token) ?? 0);
    this.published.set(block.stamp.number, block);
  }

  /** Takes the newest blocks back. */
  undo(depth: number): void {
    this.#branch++;
    for (let left = depth; left > 0 && this.published.size > 0; left--) {
      const block = this.published.get(this.#number)!;
      this.candles.undo(block.stamp);
      this.published.delete(this.#number--);
    }
    this.#seconds = this.published.get(this.#number)?.stamp.timestampMs ?? 1_000 * NOON;
    this.#seconds /= 1_000;
  }

  restart(options: { budgetBytes: number }): void {
    const bytes = savedCandles(this.candles);
    this.candles = new Candles(options);
    assert.isTrue(this.candles.restore(bytes));
  }

  compareAll(numbers: number, next: () => number): void {
    const blocks = this.#inOrder();
    for (const subject of subjectsOf(numbers)) {
      for (const { name, seconds } of CANDLE_LENGTHS) {
        const wanted = referenceCandles(blocks, subject, name);
        assert.deepStrictEqual(read(this.candles, subject, name, ALL), wanted);
        const range = randomRange(wanted, seconds, next);
        const within = wanted.filter(
          ({ startMs }) => startMs >= range.fromMs! && startMs <= range.toMs!,
        );
        const newest = range.limit === 0 ? [] : within.slice(-range.limit);
        assert.deepStrictEqual(read(this.candles, subject, name, range), newest);
        if (subject.kind === "token")
          assert.strictEqual(this.candles.hasToken(subject.number), wanted.length > 0);
      }
    }
  }

  /** What is served is the newest part of what should be; gives how much is served. */
  compareRemaining(numbers: number): number {
    const blocks = this.#inOrder();
    let remaining = 0;
    for (const subject of subjectsOf(numbers)) {
      const before = remaining;
      for (const { name } of CANDLE_LENGTHS) {
        const found = read(this.candles, subject, name, ALL);
        const wanted = referenceCandles(blocks, subject, name);
        assert.deepStrictEqual(found, found.length === 0 ? [] : wanted.slice(-found.length));
        remaining += found.length;
      }
      if (subject.kind === "token")
        assert.strictEqual(this.candles.hasToken(subject.number), remaining > before);
    }
    return remaining;
  }

  #inOrder(): TrafficBlock[] {
    return [...this.published.values()].sort((a, b) => a.stamp.number - b.stamp.number);
  }
}

function subjectsOf(numbers: number): Subject[] {
  return Array.from({ length: 2 * numbers }, (_, index) => ({
    kind: index % 2 === 0 ? "pool" : "token",
    number: index >> 1,
  }));
}

function read(
  candles: Candles,
  { kind, number }: Subject,
  interval: (typeof CANDLE_LENGTHS)[number]["name"],
  range: CandleRange,
): Candle[] {
  return kind === "pool"
    ? candles.ofPair(number, interval, range)
    : candles.ofToken(number, interval, range);
}

/** Ends at, or just beside, starts of candles. */
function randomRange(candles: ReadonlyArray<Candle>, seconds: number, next: () => number) {
  const end = () =>
    (candles[Math.floor(candles.length * next())]?.startMs ?? 1_000 * NOON) +
    Math.floor(3 * next() - 1) +
    1_000 * seconds * Math.floor(3 * next() - 1);
  const [fromMs, toMs] = [end(), end()].sort((a, b) => a - b);
  return { fromMs: fromMs!, toMs: toMs!, limit: Math.floor(20 * next()) };
}

export function shuffled<A>(items: ReadonlyArray<A>, next: () => number): A[] {
  return items
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

import { assert, describe, it } from "@effect/vitest";
import { CANDLE_INTERVALS, type Candle, type CandleRange } from "../src/candles/Candle.ts";
import { CANDLE_BYTES_MIN, Candles } from "../src/candles/Candles.ts";
import {
  randomBlock,
  referenceCandles,
  type Subject,
  stampOf,
  swapOf,
  type ToldBlock,
  type Traffic,
} from "./candlesReference.ts";
import { random } from "./random.ts";

const ROOMY = { budgetBytes: 16 << 20 };
const TIGHT = { budgetBytes: CANDLE_BYTES_MIN };
const ALL: CandleRange = { limit: Number.POSITIVE_INFINITY };
const FEW: Traffic = { pools: 12, swapsMax: 6 };
const NOON = 1_750_000_000;
const MINUTE = 60;
const DAY = 86_400;

describe("candles", () => {
  for (const seed of [1, 2, 3]) {
    it(`are those of all trades, whatever the order, what is undone and restored (${seed})`, () => {
      const next = random(seed);
      const world = new World(new Candles(ROOMY), next);
      for (let round = 0; round < 120; round++) {
        world.grow(1 + Math.floor(20 * next()), 1 + 90 * next(), FEW);
        if (next() < 0.3) world.undo(1 + Math.floor(12 * next()));
        if (next() < 0.05) world.restart(ROOMY);
        if (round % 30 === 29) world.compareAll(FEW.pools, next);
      }
      assert.isAbove(world.told.size, 512); // some blocks are settled
    });
  }

  it("of days that are told from the newest block to the oldest are those of the days", () => {
    const next = random(4);
    const world = new World(new Candles(ROOMY), next);
    const blocks = world.make(1_500, 400, FEW);
    for (const block of blocks.slice(1_300)) world.tell(block);
    for (const block of blocks.slice(0, 1_300).reverse()) world.tell(block);
    world.compareAll(FEW.pools, next);
  });

  it("of blocks that are told in any order are those of the blocks", () => {
    const next = random(5);
    const world = new World(new Candles(ROOMY), next);
    for (const block of shuffled(world.make(1_500, 300, FEW), next)) world.tell(block);
    world.compareAll(FEW.pools, next);
  });

  it("that memory is too short for are forgotten, and those that remain are right", () => {
    for (const seed of [6, 7, 8, 9]) {
      const next = random(seed);
      const world = new World(new Candles(TIGHT), next);
      const traffic = { pools: 50, swapsMax: 10 };
      let remaining = 0;
      for (let round = 0; round < 40; round++) {
        world.grow(20, 200 * next() ** 2, traffic);
        if (next() < 0.3) world.undo(1 + Math.floor(4 * next()));
        if (next() < 0.2) world.restart(TIGHT);
        if (round % 10 === 9) remaining += world.compareRemaining(traffic.pools);
      }
      assert.isAbove(remaining, 0);
    }
  });

  it("of the past that memory is too short for do not push out newer ones, nor stay in part", () => {
    const next = random(10);
    const world = new World(new Candles(TIGHT), next);
    const traffic = { pools: 60, swapsMax: 12 };
    const blocks = world.make(800, 60, traffic);
    for (const block of blocks.slice(400)) world.tell(block);
    const newest = world.candles.ofPool(0, "1m", { limit: 10 });
    for (const block of blocks.slice(0, 400).reverse()) world.tell(block);
    world.compareRemaining(traffic.pools);
    assert.strictEqual(newest.length, 10);
    assert.deepStrictEqual(world.candles.ofPool(0, "1m", { limit: 10 }), newest);
  });

  it("of what has been idle the longest go first, and of that the oldest and shortest", () => {
    const candles = new Candles(TIGHT);
    let number = 0;
    const trade = (pool: number, seconds: number) =>
      tell(candles, stampOf(++number, seconds), [swapOf(pool, {})]);
    // Two pools trade for 40 minutes, then only the second does, and new ones come up.
    for (let minute = 0; minute < 40; minute++) {
      trade(1, NOON + minute * MINUTE);
      trade(2, NOON + minute * MINUTE);
    }
    const counts: number[] = [];
    for (let other = 0; other < 40; other++) {
      trade(2, NOON + DAY + other * MINUTE);
      trade(1_000 + other, NOON + DAY + other * MINUTE);
      flush(candles, number, NOON + DAY + other * MINUTE);
      number += 10;
      counts.push(candles.ofPool(1, "1m", ALL).length);
      const days = candles.ofPool(1, "1d", ALL).length;
      assert.strictEqual(days, counts.at(-1)! > 0 ? 1 : 0);
    }
    assert.strictEqual(counts[0], 40);
    assert.isTrue(counts.some((count) => count > 0 && count < 40)); // by and by
    assert.strictEqual(counts.at(-1), 0);
    assert.strictEqual(candles.ofPool(2, "1m", ALL).length, 80);
  });

  it("of one series are at most a week of minutes, and longer ones stay", () => {
    const candles = new Candles(ROOMY);
    const minutes = 8 * 1_440;
    for (let minute = 0; minute < minutes; minute++) {
      tell(candles, stampOf(minute, minute * MINUTE + DAY), [swapOf(1, { value: 10_000 })]);
    }
    const kept = candles.ofPool(1, "1m", ALL);
    assert.isAtMost(kept.length, 10_080 + 512);
    assert.isAtLeast(kept.length, 10_080 - 8);
    assert.strictEqual(kept.at(-1)!.startMs, 1_000 * ((minutes - 1) * MINUTE + DAY));
    const days = candles.ofPool(1, "1d", ALL);
    assert.deepStrictEqual(
      days.map((day) => day.volumeUsd),
      Array(8).fill(1_440),
    );
    // Of five minutes, too, only whole ones are told.
    for (const candle of candles.ofPool(1, "5m", ALL)) assert.strictEqual(candle.volumeUsd, 5);
  });
});

describe("a block", () => {
  it("is taken back when it is among the newest 512, whatever is told of the past meanwhile", () => {
    const candles = new Candles(ROOMY);
    const stamps = Array.from({ length: 530 }, (_, number) => stampOf(number, NOON + number));
    for (const stamp of stamps.slice(18)) tell(candles, stamp, [swapOf(1, { priceAfter: 2 })]);
    for (const stamp of stamps.slice(0, 18)) tell(candles, stamp, [swapOf(1, { priceAfter: 3 })]);
    for (const stamp of stamps.slice(18).reverse()) candles.undo(stamp);
    const [day] = candles.ofPool(1, "1d", ALL);
    assert.deepInclude(day, { open: 3, high: 3, low: 3, close: 3, volumeUsd: 18 });
  });

  it("that is told after newer ones were settled changes neither their close nor their order", () => {
    const candles = new Candles(ROOMY);
    const swapsAt = (number: number) => [swapOf(1, { priceAfter: number })];
    for (let number = 10; number < 600; number++) {
      tell(candles, stampOf(number, NOON), swapsAt(number));
    }
    // Now there is room for an older one beside those that are kept apart, and then for newer ones.
    for (let number = 599; number >= 80; number--) candles.undo(stampOf(number, NOON));
    tell(candles, stampOf(5, NOON), swapsAt(5));
    const [minute] = candles.ofPool(1, "1m", ALL);
    assert.deepInclude(minute, { open: 5, high: 87, low: 5, close: 87, volumeUsd: 79 });
  });

  it("whose time is before that of the block before it is put where its time says", () => {
    const candles = new Candles(ROOMY);
    for (const [number, seconds] of [60, 0, 60].entries()) {
      tell(candles, stampOf(number, DAY + seconds), [swapOf(1, {})]);
    }
    assert.deepStrictEqual(
      candles.ofPool(1, "1m", ALL).map(({ startMs, volumeUsd }) => [startMs, volumeUsd]),
      [
        [1_000 * DAY, 1],
        [1_000 * (DAY + 60), 2],
      ],
    );
  });

  it("that is forgotten at once leaves no part of itself in later candles", () => {
    let forgotten = 0;
    // At different lengths there is different room left for what is told of the past.
    for (let minutes = 400; minutes < 424; minutes++) {
      const candles = new Candles(TIGHT);
      for (let minute = 1; minute <= minutes; minute++) {
        tell(candles, stampOf(minute, DAY + minute * MINUTE), [swapOf(1, {})]);
      }
      tell(candles, stampOf(0, DAY + 1), [swapOf(500, {})]);
      const later = DAY + (minutes + 1) * MINUTE;
      tell(candles, stampOf(minutes + 1, later), [swapOf(500, {})]);
      for (const settle of [() => {}, () => flush(candles, minutes + 1, later)]) {
        settle();
        const days = candles.ofPool(500, "1d", ALL);
        if (days.length > 0) assert.strictEqual(days[0]!.volumeUsd, 2);
        else forgotten++;
        assert.isAtLeast(candles.ofPool(500, "1m", ALL).length, 1);
      }
    }
    assert.isAbove(forgotten, 0);
  });

  it("that is told twice counts once, and one that is not known is undone in vain", () => {
    const candles = new Candles(ROOMY);
    for (let twice = 0; twice < 2; twice++) tell(candles, stampOf(5, NOON), [swapOf(1, {})]);
    candles.undo(stampOf(6, NOON));
    assert.strictEqual(candles.ofPool(1, "1m", ALL)[0]!.volumeUsd, 1);
  });

  it("of a time or number that cannot be is left aside", () => {
    const candles = new Candles(ROOMY);
    for (const [number, seconds] of [
      [-1, NOON],
      [2 ** 32, NOON],
      [Number.NaN, NOON],
      [1, -1],
      [1, 2 ** 32],
      [1, Number.NaN],
    ] as const) {
      tell(candles, { ...stampOf(1, seconds), number }, [swapOf(1, {})]);
    }
    assert.deepStrictEqual(candles.ofPool(1, "1d", ALL), []);
  });

  it("with more pools than memory has room for leaves the right candles of some", () => {
    const candles = new Candles(TIGHT);
    const swaps = Array.from({ length: 20_000 }, (_, pool) =>
      swapOf(pool, { priceAfter: pool + 1 }),
    );
    tell(candles, stampOf(1, NOON), swaps);
    let found = 0;
    for (const { pool } of swaps) {
      for (const candle of candles.ofPool(pool, "1d", ALL)) {
        assert.strictEqual(candle.open, pool + 1);
        found++;
      }
    }
    assert.isAbove(found, 10);
  });

  it("of swaps without prices that make sense shows no candle, and one with a price all volumes", () => {
    const candles = new Candles(ROOMY);
    const odd = [0, Number.NaN, Number.POSITIVE_INFINITY, -1];
    const swaps = odd.map((priceAfter) => swapOf(1, { priceAfter }));
    tell(candles, stampOf(1, NOON), swaps, () => Number.NaN);
    assert.deepStrictEqual(candles.ofPool(1, "1m", ALL), []);
    assert.isFalse(candles.hasToken(1));
    const volumes = [Number.NaN, Number.POSITIVE_INFINITY, -5, 30_000];
    tell(
      candles,
      stampOf(2, NOON),
      volumes.map((value) => swapOf(1, { value, priceAfter: 7 })),
      () => 3,
    );
    assert.deepStrictEqual(candles.ofPool(1, "1m", ALL), [
      { startMs: 1_000 * minuteOf(NOON), open: 7, high: 7, low: 7, close: 7, volumeUsd: 7 },
    ]);
    assert.strictEqual(candles.ofToken(2, "1m", ALL)[0]!.volumeUsd, 7);
    assert.isTrue(candles.hasToken(1));
    candles.undo(stampOf(2, NOON));
    assert.isFalse(candles.hasToken(1));
  });
});

/** Candles, and the blocks that they should be of. */
class World {
  candles: Candles;
  readonly told = new Map<number, ToldBlock>();
  readonly #next: () => number;
  #number = 100;
  #seconds = NOON;
  #branch = 0;

  constructor(candles: Candles, next: () => number) {
    this.candles = candles;
    this.#next = next;
  }

  /** Blocks that go on from the last one, up to so many seconds apart. */
  make(count: number, secondsApart: number, traffic: Traffic): ToldBlock[] {
    return Array.from({ length: count }, () => {
      this.#seconds += Math.floor(secondsApart * this.#next());
      const stamp = stampOf(++this.#number, this.#seconds, this.#branch);
      return randomBlock(this.#next, stamp, traffic);
    });
  }

  /** New blocks, told in any order. */
  grow(count: number, secondsApart: number, traffic: Traffic): void {
    for (const block of shuffled(this.make(count, secondsApart, traffic), this.#next))
      this.tell(block);
  }

  tell(block: ToldBlock): void {
    this.candles.add(block, (token) => block.prices.get(token) ?? 0);
    this.told.set(block.stamp.number, block);
  }

  /** Takes the newest blocks back. */
  undo(depth: number): void {
    this.#branch++;
    for (let left = depth; left > 0 && this.told.size > 0; left--) {
      const block = this.told.get(this.#number)!;
      this.candles.undo(block.stamp);
      this.told.delete(this.#number--);
    }
    this.#seconds = this.told.get(this.#number)?.stamp.timestampMs ?? 1_000 * NOON;
    this.#seconds /= 1_000;
  }

  restart(options: { budgetBytes: number }): void {
    const bytes = this.candles.save();
    this.candles = new Candles(options);
    assert.isTrue(this.candles.restore(bytes));
  }

  compareAll(numbers: number, next: () => number): void {
    const blocks = this.#inOrder();
    for (const subject of subjectsOf(numbers)) {
      for (const { name, seconds } of CANDLE_INTERVALS) {
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

  /** What is told is the newest part of what should be; gives how much is told. */
  compareRemaining(numbers: number): number {
    const blocks = this.#inOrder();
    let remaining = 0;
    for (const subject of subjectsOf(numbers)) {
      const before = remaining;
      for (const { name } of CANDLE_INTERVALS) {
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

  #inOrder(): ToldBlock[] {
    return [...this.told.values()].sort((a, b) => a.stamp.number - b.stamp.number);
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
  interval: (typeof CANDLE_INTERVALS)[number]["name"],
  range: CandleRange,
): Candle[] {
  return kind === "pool"
    ? candles.ofPool(number, interval, range)
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

function tell(
  candles: Candles,
  stamp: ToldBlock["stamp"],
  swaps: ToldBlock["swaps"],
  price: (token: number) => number = () => 1,
): void {
  candles.add({ stamp, swaps }, price);
}

/** Fills what is kept apart with blocks of a pool that is not looked at, until the rest is settled. */
function flush(candles: Candles, number: number, seconds: number): void {
  for (let more = 1; more <= 10; more++) {
    tell(candles, stampOf(number + more, seconds), [swapOf(9_999, {})]);
  }
}

function minuteOf(seconds: number): number {
  return seconds - (seconds % MINUTE);
}

function shuffled<A>(items: ReadonlyArray<A>, next: () => number): A[] {
  return items
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

import { type ChainLog, type FollowedState, type Hex, IMPOSSIBLE } from "@millrace/protocols";
import { getSqrtRatioAtTick, MAX_TICK, MIN_TICK } from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";
import {
  answering,
  brokenShapes,
  concentratedLiquidity,
  EMPTY_BOOK,
  hexOf,
  listing,
  logOf,
  NaivePool,
  readFrom,
  stateAfter,
  TOPICS,
} from "./chainFixture.ts";

const LIQUIDITY_MAX = 2n ** 128n - 1n;

describe("a concentrated-liquidity pool", () => {
  it("is read in two rounds, all words of its bitmap in the first", () => {
    const model = standing();
    const reading = concentratedLiquidity.read(model.pool);
    const first = reading.next();
    if (first.done) throw new Error("no calls");
    expect(first.value.map(({ range }) => range)).toEqual([undefined, undefined, 116]);
    const second = reading.next(first.value.map(answering((call) => model.answer(call))));
    expect(second.value).toHaveLength(model.ticks.size);
    const fine = concentratedLiquidity.read(listing(1)).next();
    expect(fine.value).toMatchObject([{}, {}, { range: 6_932 }]);
  });

  it("keeps a tick whose net is 0 while positions end there, as swaps stop at it", () => {
    const model = new NaivePool(listing(60));
    const logs = [
      model.initialize(getSqrtRatioAtTick(0)),
      model.mint(-60, 60, 5n),
      model.mint(60, 120, 5n),
    ];
    const both = fold(model, logs);
    expect([...both.book!.keys]).toEqual([-60, 60, 120]);
    expect(both.book!.words.slice(2, 4)).toEqual(BigInt64Array.of(0n, 0n));
    const one = fold(model, [...logs, model.burn(-60, 60, 5n), model.burn(60, 120, 5n)]);
    expect(one.book!.keys).toHaveLength(0);
  });

  it("refuses what cannot have happened to it", () => {
    const model = standing();
    const state = model.state();
    const { sqrtPriceX96: price, tick, liquidity: active } = model;
    const swap = (amount0: bigint, amount1: bigint, to: bigint, after: bigint, atTick: number) =>
      logOf(TOPICS.swap, [1, 2], [amount0, amount1, to, after, atTick]);
    const impossible = {
      "a second Initialize": logOf(TOPICS.initialize, [], [price, tick]),
      "more burned than is there": logOf(TOPICS.burn, [1, -600, 600], [5_001n, 0n, 0n]),
      "burned where nothing is": logOf(TOPICS.burn, [1, -1200, 1200], [1n, 0n, 0n]),
      "burned between ends of two positions": logOf(TOPICS.burn, [1, 60, 600], [1n, 0n, 0n]),
      "off the spacing": logOf(TOPICS.mint, [1, -61, 60], [1n, 1n, 0n, 0n]),
      "below the limits": logOf(TOPICS.mint, [1, MIN_TICK - 8, 60], [1n, 1n, 0n, 0n]),
      "upside down": logOf(TOPICS.mint, [1, 60, -60], [1n, 1n, 0n, 0n]),
      "empty range": logOf(TOPICS.mint, [1, 60, 60], [1n, 1n, 0n, 0n]),
      "too much at a tick": logOf(TOPICS.mint, [1, -600, 600], [1n, LIQUIDITY_MAX, 0n, 0n]),
      "too wide": logOf(TOPICS.mint, [1, -600, 600], [1n, LIQUIDITY_MAX + 1n, 0n, 0n]),
      "a net past its width": logOf(TOPICS.mint, [1, -660, 660], [1n, 2n ** 127n, 0n, 0n]),
      "a price without its tick": swap(9n, -9n, price - 1n, active, tick - 2),
      "a price of nothing": swap(9n, -9n, 0n, active, 0),
      "liquidity that no tick gave": swap(9n, -9n, price - 1n, active + 1n, tick - 1),
      "a rise for token0": swap(9n, -9n, price + 1n, active, tick),
      "a fall for token1": swap(-9n, 9n, price - 1n, active, tick - 1),
      "both in": swap(9n, 9n, price, active, tick),
      "both out": swap(-9n, -9n, price, active, tick),
    };
    for (const [what, log] of Object.entries(impossible)) {
      expect(concentratedLiquidity.applyLog(model.pool, state, log), what).toBe(IMPOSSIBLE);
    }
    const sound = swap(9n, -9n, price - 1n, active, tick - 1);
    expect(concentratedLiquidity.applyLog(model.pool, state, sound)).not.toBe(IMPOSSIBLE);
    const start = EMPTY_BOOK;
    for (const log of [
      swap(9n, -9n, price, 0n, tick),
      logOf(TOPICS.mint, [1, -60, 60], [1n, 1n, 0n, 0n]),
      logOf(TOPICS.burn, [1, -60, 60], [0n, 0n, 0n]),
      logOf(TOPICS.initialize, [], [price, tick + 1]),
      logOf(TOPICS.initialize, [], [0n, 0n]),
      logOf(TOPICS.initialize, [], [2n ** 160n - 1n, MAX_TICK]),
    ]) {
      expect(concentratedLiquidity.applyLog(model.pool, start, log)).toBe(IMPOSSIBLE);
    }
  });

  it("refuses logs that are cut, too long, or of numbers wider than their types", () => {
    const model = standing();
    const { sqrtPriceX96: price, tick, liquidity: active } = model;
    const dirty = (value: number) => BigInt.asUintN(256, BigInt(value)) ^ (1n << 30n);
    const swapped = [9n, -9n, price, active, tick] as const;
    for (const log of [
      ...brokenShapes(logOf(TOPICS.swap, [1, 2], swapped)),
      ...brokenShapes(logOf(TOPICS.pancakeSwap, [1, 2], [...swapped, 0n, 0n])),
      ...brokenShapes(logOf(TOPICS.mint, [1, -600, 600], [1n, 1n, 0n, 0n])),
      ...brokenShapes(logOf(TOPICS.burn, [1, -600, 600], [1n, 0n, 0n])),
      ...brokenShapes(logOf(TOPICS.initialize, [], [price, tick])),
      logOf(TOPICS.pancakeSwap, [1, 2], swapped),
      logOf(TOPICS.swap, [1, 2n ** 160n], swapped),
      logOf(TOPICS.swap, [1, 2], [9n, -9n, price, active, dirty(tick)]),
      logOf(TOPICS.swap, [1, 2], [9n, -9n, price + 2n ** 160n, active, tick]),
      logOf(TOPICS.swap, [1, 2], [9n, -9n, price, active + 2n ** 128n, tick]),
      logOf(TOPICS.mint, [1, dirty(-600), 600], [1n, 1n, 0n, 0n]),
      logOf(TOPICS.mint, [1, -600, dirty(600)], [1n, 1n, 0n, 0n]),
      logOf(TOPICS.mint, [2n ** 255n, -600, 600], [1n, 1n, 0n, 0n]),
      logOf(TOPICS.mint, [1, -600, 600], [2n ** 160n, 1n, 0n, 0n]),
      logOf(TOPICS.burn, [2n ** 160n, -600, 600], [1n, 0n, 0n]),
    ]) {
      expect(concentratedLiquidity.applyLog(model.pool, model.state(), log)).toBe(IMPOSSIBLE);
    }
    for (const log of brokenShapes(logOf(TOPICS.initialize, [], [price, tick]))) {
      expect(concentratedLiquidity.applyLog(model.pool, EMPTY_BOOK, log)).toBe(IMPOSSIBLE);
    }
    const sound = logOf(TOPICS.swap, [1, 2], swapped);
    expect(concentratedLiquidity.applyLog(model.pool, model.state(), sound)).toBeTypeOf("object");
  });

  it("is not read from answers that no pool gives", () => {
    const model = standing();
    const { pool, sqrtPriceX96: price, tick, liquidity: active } = model;
    const readWith = (selector: string, answer: Hex | undefined) =>
      readFrom(concentratedLiquidity, pool, (call) =>
        call.data.startsWith(selector) ? answer : model.answer(call),
      );
    const [slot0, liquidityOf, bitmap, ticks] = [
      "0x3850c7bd",
      "0x1a686502",
      "0x5339c296",
      "0xf30dba93",
    ];
    expect(readWith("none", undefined)).toEqual(model.state());
    for (const [selector, answer] of [
      [slot0, undefined],
      [slot0, "0x"],
      [slot0, hexOf(price)],
      [slot0, hexOf(price, tick + 1)],
      [slot0, hexOf(price, BigInt(tick) + 2n ** 24n)],
      [slot0, hexOf(price + 2n ** 160n, tick)],
      [slot0, hexOf(0n, 0)],
      [slot0, hexOf(getSqrtRatioAtTick(600), 600)],
      [liquidityOf, undefined],
      [liquidityOf, hexOf(active + 1n)],
      [liquidityOf, hexOf(active, 0n)],
      [liquidityOf, hexOf(active + 2n ** 128n)],
      [bitmap, undefined],
      [bitmap, "0x"],
      [bitmap, hexOf(0n)],
      [bitmap, hexOf(0n, 0n)],
      [bitmap, hexOf(2n ** 256n - 1n)],
      [ticks, undefined],
      [ticks, hexOf(5n)],
      [ticks, hexOf(0n, 0n, 0n)],
      [ticks, hexOf(5n, 6n)],
      [ticks, hexOf(5n, 4n)],
      [ticks, hexOf(5n, 5n)],
      [ticks, hexOf(5n, -5n)],
      [ticks, hexOf(2n ** 128n, 0n)],
      [ticks, hexOf(5n, 2n ** 128n + 5n)],
    ] as ReadonlyArray<readonly [string, Hex | undefined]>) {
      expect(readWith(selector, answer), `${selector} ${answer}`).toBeUndefined();
    }
    // What starts at a tick and what ends there add up to gross, and differ by net.
    const two = new NaivePool(listing(60));
    two.initialize(getSqrtRatioAtTick(0));
    two.mint(-60, 60, 4n);
    const grossOf = (gross: bigint) =>
      readFrom(concentratedLiquidity, two.pool, (call) => {
        const answer = two.answer(call);
        return call.data.startsWith(ticks)
          ? (`${hexOf(gross)}${answer!.slice(66)}` as Hex)
          : answer;
      });
    expect([4n, 5n, 6n].map((gross) => grossOf(gross) !== undefined)).toEqual([true, false, true]);
    const short = concentratedLiquidity.read(pool);
    const first = short.next();
    if (first.done) throw new Error("no calls");
    const answers = first.value.map(answering((call) => model.answer(call)));
    expect(short.next(answers.slice(0, -1))).toEqual({ done: true, value: undefined });
    for (const parameter of [0, -60, 16_384, 1.5, Number.NaN]) {
      expect(readFrom(concentratedLiquidity, listing(parameter), () => hexOf(0))).toBeUndefined();
    }
  });

  function standing(): NaivePool {
    const model = new NaivePool(listing(60));
    model.initialize(getSqrtRatioAtTick(0));
    model.mint(-600, 600, 5_000n);
    model.mint(0, 60, 777n);
    model.mint(-60, 0, 777n);
    return model;
  }

  function fold(model: NaivePool, logs: ReadonlyArray<ChainLog>): FollowedState {
    return logs.reduce(
      (state, log) => stateAfter(concentratedLiquidity, model.pool, state, log),
      EMPTY_BOOK,
    );
  }
});

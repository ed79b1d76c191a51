import { NO_CONSTANTS } from "@millrace/core";
import { chainProtocols, curves, type Hex, IMPOSSIBLE, protocols } from "@millrace/protocols";
import { law } from "@millrace/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  brokenShapes,
  concentratedLiquidity,
  constantProduct,
  EMPTY_BOOK,
  EMPTY_PAIR,
  followedDexes,
  hexOf,
  listing,
  logOf,
  readFrom,
  stateAfter,
  TOPICS,
} from "./chainFixture.ts";

const RESERVE_MAX = 2n ** 112n - 1n;

describe("the families on a chain", () => {
  it("are as many as there are protocols, in the same order", () => {
    expect(chainProtocols.map(({ name }) => name)).toEqual(protocols.map(({ name }) => name));
  });

  it("listen to the events that explorers show under these topics", () => {
    const { pairCreated, sync, pairSwap, poolCreated, ...rest } = TOPICS;
    expect(constantProduct.creationTopics).toEqual([pairCreated]);
    expect(new Set(constantProduct.poolTopics)).toEqual(new Set([sync, pairSwap]));
    expect(concentratedLiquidity.creationTopics).toEqual([poolCreated]);
    expect(new Set(concentratedLiquidity.poolTopics)).toEqual(new Set(Object.values(rest)));
  });

  it("start from a state that their own arithmetic finds sound", () => {
    for (const [place, created] of [EMPTY_PAIR, EMPTY_BOOK].entries()) {
      const protocol = curves[place]!;
      const constants = NO_CONSTANTS;
      const shape = { decimals: [18, 18], feePips: 3000, parameter: place, constants };
      expect(protocol.check(shape, created)).toBeUndefined();
      expect(created.words).toHaveLength(protocol.stateWords(2));
    }
  });
});

describe("a constant-product pair", () => {
  const pool = listing(0);
  const reserve = fc.bigInt({ min: 0n, max: RESERVE_MAX });

  it("has after a Sync what getReserves answers, and shares a state that did not change", () => {
    fc.assert(
      fc.property(reserve, reserve, (reserve0, reserve1) => {
        const sync = logOf(TOPICS.sync, [], [reserve0, reserve1]);
        const after = stateAfter(constantProduct, pool, EMPTY_PAIR, sync);
        const answer = () => hexOf(reserve0, reserve1, 1_700_000_000);
        expect(after).toEqual(readFrom(constantProduct, pool, answer));
        expect(stateAfter(constantProduct, pool, after, sync)).toBe(after);
        const glance = constantProduct.shallowRead(pool).map(answer);
        const hasPrice = reserve0 > 0n && reserve1 > 0n;
        expect(constantProduct.virtualReserves(listing(0), glance)).toEqual(
          hasPrice ? [reserve0, reserve1] : undefined,
        );
      }),
      law("pairs: states after a Sync", 200).options,
    );
  });

  it("is created with the state that is read of it then", () => {
    const read = readFrom(constantProduct, pool, () => hexOf(0, 0, 0));
    expect(read).toEqual(EMPTY_PAIR);
  });

  it.each([
    [
      "token0 for token1",
      [10, 0, 0, 7],
      { positionIn: 0, positionOut: 1, amountIn: 10n, amountOut: 7n },
    ],
    [
      "token1 for token0",
      [0, 10, 7, 0],
      { positionIn: 1, positionOut: 0, amountIn: 10n, amountOut: 7n },
    ],
    [
      "the more of both in",
      [10, 2, 1, 7],
      { positionIn: 0, positionOut: 1, amountIn: 9n, amountOut: 5n },
    ],
    [
      "both in, both out",
      [1, 9, 8, 2],
      { positionIn: 1, positionOut: 0, amountIn: 7n, amountOut: 7n },
    ],
    ["a flash loan of one token", [10, 0, 9, 0], undefined],
    ["a gift of both", [10, 10, 0, 1], undefined],
    ["out of both", [0, 0, 1, 1], undefined],
  ])("tells of a swap of %s, and of the price that the Sync before it left", (_, amounts, swap) => {
    const log = logOf(TOPICS.pairSwap, [1, 2], amounts);
    const sync = logOf(TOPICS.sync, [], [4_000, 1_000]);
    const state = stateAfter(constantProduct, pool, EMPTY_PAIR, sync);
    const swapped = swap && { ...swap, priceAfter: swap.positionIn === 0 ? 0.25 : 4 };
    const effect = constantProduct.applyLog(pool, state, log);
    expect(effect).toEqual(swapped === undefined ? { state } : { state, swap: swapped });
    expect(constantProduct.decodeSwap(listing(0), log, sync)).toEqual(swapped);
  });

  it("has no price after a swap that no Sync came before, or one of nothing", () => {
    const log = logOf(TOPICS.pairSwap, [1, 2], [10, 0, 0, 7]);
    const swap = { positionIn: 0, positionOut: 1, amountIn: 10n, amountOut: 7n, priceAfter: 0 };
    const empty = logOf(TOPICS.sync, [], [0, 5]);
    const broken = { ...empty, data: "0x" as Hex };
    for (const before of [undefined, log, empty, broken]) {
      expect(constantProduct.decodeSwap(listing(0), log, before)).toEqual(swap);
    }
    const back = logOf(TOPICS.pairSwap, [1, 2], [0, 10, 7, 0]);
    expect(constantProduct.decodeSwap(listing(0), back, empty)).toMatchObject({
      positionIn: 1,
      priceAfter: 0,
    });
    expect(constantProduct.decodeSwap(listing(0), empty, undefined)).toBeUndefined();
  });

  it("refuses reserves and amounts that no pair has", () => {
    const wide = RESERVE_MAX + 1n;
    for (const log of [
      logOf(TOPICS.sync, [], [wide, 1n]),
      logOf(TOPICS.sync, [], [1n, wide]),
      logOf(TOPICS.sync, [5], [1n, 1n]),
      logOf(TOPICS.pairSwap, [1, 2], [wide, 0n, 0n, 1n]),
      logOf(TOPICS.pairSwap, [1, 2n ** 160n], [1n, 0n, 0n, 1n]),
      ...brokenShapes(logOf(TOPICS.sync, [], [1n, 1n])),
      ...brokenShapes(logOf(TOPICS.pairSwap, [1, 2], [1n, 0n, 0n, 1n])),
    ]) {
      expect(constantProduct.applyLog(pool, EMPTY_PAIR, log)).toBe(IMPOSSIBLE);
      expect(constantProduct.decodeSwap(listing(0), log, undefined)).toBeUndefined();
    }
    for (const answer of [undefined, "0x", hexOf(1), hexOf(wide, 1n, 0n)] as const) {
      expect(readFrom(constantProduct, pool, () => answer)).toBeUndefined();
      expect(constantProduct.virtualReserves(listing(0), [answer])).toBeUndefined();
    }
  });
});

describe("whatever a stranger writes", () => {
  const hex = fc
    .array(fc.constantFrom("00", "01", "ff", "zz", " 1", "-", "a"), { maxLength: 260 })
    .map((parts): Hex => `0x${parts.join("")}`);
  const words = fc
    .array(
      fc.oneof(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        fc.integer({ min: -900_000, max: 900_000 }),
        fc.constantFrom(0n, 1n, 2n ** 96n, 2n ** 128n - 1n, 2n ** 160n - 1n),
      ),
      { maxLength: 8 },
    )
    .map((values) => hexOf(...values));
  const anyHex = fc.oneof(hex, words);
  const log = fc.record({
    address: fc.constant(listing(0).address),
    topics: fc
      .tuple(fc.constantFrom(...Object.values(TOPICS)), fc.array(anyHex, { maxLength: 4 }))
      .map(([first, rest]) => [first, ...rest]),
    data: anyHex,
    transactionHash: fc.constant<Hex>("0x"),
    logIndex: fc.constant(0),
  });
  it.each(followedDexes)("makes $dex.protocol throw nothing", (dex) => {
    const created = dex === constantProduct ? EMPTY_PAIR : EMPTY_BOOK;
    fc.assert(
      fc.property(log, fc.array(fc.option(anyHex, { nil: undefined })), (written, answers) => {
        for (const topics of [written.topics, []]) {
          const given = { ...written, topics };
          dex.applyLog(listing(1), created, given);
          dex.decodeSwap(listing(1), given, written);
          expect(dex.decodeCreation(given)).toBeUndefined();
          dex.creationNumber?.(given);
        }
        dex.virtualReserves(listing(1), answers);
        const reading = dex.read(listing(16_383));
        for (let step = reading.next(); !step.done; ) step = reading.next(answers);
        // To be refused is an answer.
        const again = dex.read(listing(16_383));
        for (let step = again.next(); !step.done; ) {
          step = again.next(step.value.map(() => answers[0]));
        }
      }),
      law(`${dex.dex.protocol}: throws nothing`, 1_000).options,
    );
  });
});

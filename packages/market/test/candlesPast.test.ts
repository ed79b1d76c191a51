import { assert, describe, it } from "@effect/vitest";
import { runToEnd } from "@millrace/core";
import { type TradedSwap, VALUES_A_DOLLAR } from "../src/activity/TradedBlock.ts";
import { Candles } from "../src/candles/Candles.ts";
import { type PricesNow, pastPrices } from "../src/candles/pastPrices.ts";
import { addBlock, addPastBlock, stampOf, swapOf } from "./candlesReference.ts";

const [USD, ETH, COIN, STRAY, EURO] = [0, 1, 2, 3, 4];
const PLACES = new Map([
  [USD, -2],
  [EURO, -1],
  [ETH, 0],
  [COIN, 1],
]);
const TODAY = new Map([
  [USD, 1],
  [EURO, 1.1],
  [ETH, 2_000],
  [COIN, 5],
]);
const DECIMALS = new Map([USD, ETH, COIN, STRAY, EURO].map((token) => [token, 2 * token]));
const NOW: PricesNow = {
  tokenPriceUsd: (token) => TODAY.get(token) ?? 0,
  tokenRank: (token) => PLACES.get(token) ?? Number.POSITIVE_INFINITY,
  tokenDecimals: (token) => DECIMALS.get(token),
};
const NOON = 1_750_000_020;
const STAMP = stampOf(1_000, NOON);
const MINUTES = { limit: 100 };

describe("a price of the past", () => {
  it("is the mid price times what the other token cost in the same block, anchors first", () => {
    const swaps = [
      trade(COIN, ETH, 0.002, { pool: 1 }),
      trade(USD, ETH, 1 / 1_900, { pool: 2 }),
      trade(USD, EURO, 0.95, { pool: 3 }),
    ];
    const prices = pricesOf(swaps);
    assert.closeTo(prices.get(ETH)!, 1_900, 1e-9);
    assert.closeTo(prices.get(COIN)!, 3.8, 1e-9);
    assert.strictEqual(prices.get(USD), 1);
    assert.strictEqual(prices.get(EURO), 1.1);
  });

  it("is that after the pool's last swap that has one", () => {
    const prices = pricesOf([
      trade(USD, ETH, 1 / 1_500),
      trade(USD, ETH, 1 / 1_800),
      trade(USD, ETH, 0),
    ]);
    assert.closeTo(prices.get(ETH)!, 1_800, 1e-9);
  });

  it("takes the other token's price from candles of the minutes around when the block has none", () => {
    const swaps = [trade(COIN, ETH, 0.002)];
    assert.isFalse(pricesOf(swaps).has(COIN));
    const prices = pricesOf(swaps, new Map([[ETH, 2_100]]));
    assert.closeTo(prices.get(COIN)!, 4.2, 1e-9);
    assert.isFalse(prices.has(ETH)); // coins do not price it
  });

  it("is not taken from pools in which hardly anything was swapped, though many a little may do", () => {
    const little = { value: 4 * VALUES_A_DOLLAR };
    const swaps = [trade(USD, ETH, 1 / 1_900, little), trade(USD, ETH, 1 / 1_900, little)];
    assert.isFalse(pricesOf(swaps).has(ETH));
    assert.isTrue(pricesOf([...swaps, trade(USD, ETH, 1 / 1_900, little)]).has(ETH));
  });

  it("is the median of what pools say, by what was swapped in them", () => {
    const prices = pricesOf([
      trade(USD, ETH, 1 / 1_900, { pool: 1, value: 50 * VALUES_A_DOLLAR }),
      trade(USD, ETH, 1 / 1_000, { pool: 2, value: 30 * VALUES_A_DOLLAR }),
      trade(USD, ETH, 1 / 3_900, { pool: 3, value: 40 * VALUES_A_DOLLAR }),
    ]);
    assert.closeTo(prices.get(ETH)!, 1_900, 1e-9);
  });

  it("is left out far from a known one of that time, or from today's where none is known", () => {
    const near = new Map([[ETH, 1_000]]);
    const isPriced = (price: number, known?: Map<number, number>) =>
      pricesOf([trade(USD, ETH, 1 / price)], known).has(ETH);
    assert.deepStrictEqual(
      [499, 501, 1_999, 2_001].map((price) => isPriced(price, near)),
      [false, true, true, false],
    );
    assert.deepStrictEqual(
      [199, 201, 19_999, 20_001].map((price) => isPriced(price)),
      [false, true, true, false],
    );
  });

  it("is none for a token that has none today, nor by way of one", () => {
    const prices = pricesOf([
      trade(STRAY, USD, 3, { pool: 1 }),
      trade(STRAY, COIN, 0.5, { pool: 2 }),
    ]);
    assert.isFalse(prices.has(STRAY));
    assert.isFalse(prices.has(COIN));
  });

  it("of a token that changes hands for another without a price is none", () => {
    const other = 99;
    assert.strictEqual(pricesOf([trade(STRAY, other, 2)]).size, 0);
  });
});

describe("candles of tokens in the past", () => {
  it("follow a price from minute to minute, and leave a sudden one out but for its volume", () => {
    const candles = new Candles({ budgetBytes: 1 << 20 });
    const prices = [2_000, 1_500, 1_100, 800, 4_000, 600, 450, 340];
    for (const [minutes, price] of prices.entries()) {
      const stamp = stampOf(900 - minutes, NOON - 60 * minutes);
      addPastBlock(candles, { stamp, swaps: [trade(USD, ETH, 1 / price)] }, NOW);
    }
    const minutes = candles.ofToken(ETH, "1m", MINUTES).reverse();
    assert.deepStrictEqual(
      minutes.map(({ close }) => Math.round(close)),
      prices.filter((price) => price !== 4_000),
    );
    const [hour] = candles.ofToken(ETH, "1d", MINUTES);
    assert.strictEqual(hour!.volumeUsd, 100 * prices.length);
    assert.strictEqual(Math.round(hour!.open), 340);
    assert.strictEqual(Math.round(hour!.close), 2_000);
    assert.strictEqual(Math.round(hour!.high), 2_000);
  });

  it("go on from the live ones, and can be reverted", () => {
    const candles = new Candles({ budgetBytes: 1 << 20 });
    addBlock(candles, { stamp: stampOf(1_001, NOON + 60), swaps: [trade(USD, ETH, 1)] }, (token) =>
      token === ETH ? 1_000 : 1,
    );
    const tooFar = { stamp: STAMP, swaps: [trade(USD, ETH, 1 / 2_100)] };
    addPastBlock(candles, tooFar, NOW);
    assert.strictEqual(candles.ofToken(ETH, "1m", MINUTES).length, 1);
    const past = { stamp: stampOf(999, NOON), swaps: [trade(USD, ETH, 1 / 900)] };
    addPastBlock(candles, past, NOW);
    assert.strictEqual(candles.ofToken(ETH, "1m", MINUTES).length, 2);
    candles.undo(past.stamp);
    assert.strictEqual(candles.ofToken(ETH, "1m", MINUTES).length, 1);
    assert.strictEqual(candles.ofPair(0, "1m", MINUTES).length, 2);
  });

  it("have volumes only when the token has no price today", () => {
    const candles = new Candles({ budgetBytes: 1 << 20 });
    const now = { ...NOW, tokenPriceUsd: () => 0 };
    addPastBlock(candles, { stamp: STAMP, swaps: [trade(USD, ETH, 1 / 2_000)] }, now);
    assert.isFalse(candles.hasToken(ETH));
    addBlock(candles, { stamp: stampOf(1_001, NOON + 1), swaps: [trade(USD, ETH, 1)] }, () => 7);
    assert.strictEqual(candles.ofToken(ETH, "1m", MINUTES)[0]!.volumeUsd, 200);
  });
});

function pricesOf(swaps: ReadonlyArray<TradedSwap>, near = new Map<number, number>()) {
  return runToEnd(pastPrices({ stamp: STAMP, swaps }, NOW, (token) => near.get(token) ?? 0));
}

/** A swap of a hundred dollars; one whole `token0` is `price` of `token1` after it. */
function trade(token0: number, token1: number, price: number, part: Partial<TradedSwap> = {}) {
  const tokens = { tokenIn: token1, tokenOut: token0, sellsToken0: false };
  const priceAfter = price / 10 ** (DECIMALS.get(token0)! - (DECIMALS.get(token1) ?? 0));
  return swapOf(0, { ...tokens, value: 100 * VALUES_A_DOLLAR, priceAfter, ...part });
}

import { assert, describe, it } from "@effect/vitest";
import type { TokenIndex } from "@millrace/core";
import { type PlainPool, poolsBlock } from "../markets/marketPools.ts";
import { testMarket } from "../markets/recordedMarkets.ts";

const FLOOR_USD = 1_000;
/** The depth (2 %) of a constant-product pool, as a part of its holding of either token. */
const DEPTH_SHARE = (1 / Math.sqrt(0.98) - 1) * 0.98;
const TOKEN = 1 as TokenIndex;

/** The price from pools of dollars and the token, each at its price, with `sideUsd` on one side. */
function tell(pools: ReadonlyArray<readonly [priceUsd: number, sideUsd: number]>) {
  const market = testMarket(
    poolsBlock(
      2,
      pools.map(([priceUsd, sideUsd]): PlainPool => {
        const whole = Math.round((sideUsd / priceUsd) * 1e6);
        return {
          tokens: [0, 1],
          reserves: [BigInt(sideUsd) * 10n ** 6n, BigInt(whole) * 10n ** 12n],
        };
      }),
    ),
  );
  const price = market.data(undefined, FLOOR_USD).price(TOKEN);
  market.close();
  return price;
}

describe("pools that do not tell the same price", () => {
  it.each([1.015, 0.985, 1.019, 0.981])(
    "agree when they are near: at %s of the price, one is depth behind it",
    (other) => {
      const { priceUsd, depthUsd, confidence } = tell([
        [1, 400_000],
        [other, 200_000],
      ]);
      assert.closeTo(priceUsd, 1, 1e-6);
      const backed = 600_000 * DEPTH_SHARE;
      assert.closeTo(depthUsd, backed, 1);
      assert.closeTo(confidence, backed / (backed + FLOOR_USD), 1e-3);
    },
  );

  it.each([1.0205, 0.9795, 1.1, 0.9, 1.19, 0.5, 1_000, 0.001])(
    "disagree beyond: at %s of the price, one is none of its depth, and costs its part of confidence",
    (other) => {
      const { priceUsd, depthUsd, confidence } = tell([
        [1, 400_000],
        [other, 200_000],
      ]);
      assert.closeTo(priceUsd, 1, 1e-6);
      const backed = 400_000 * DEPTH_SHARE;
      assert.closeTo(depthUsd, backed, 1);
      assert.closeTo(confidence, ((2 / 3) * backed) / (backed + FLOOR_USD), 1e-3);
    },
  );

  it("cost the more confidence the deeper they are, and none when they are below the floor", () => {
    const confidences = [50_000, 150_000, 200_000, 300_000, 390_000].map(
      (sideUsd) =>
        tell([
          [1, 400_000],
          [2, sideUsd],
        ]).confidence,
    );
    const alone = tell([[1, 400_000]]).confidence;
    assert.strictEqual(confidences[0], alone);
    for (const [place, confidence] of confidences.entries()) {
      if (place > 0) assert.isBelow(confidence, confidences[place - 1]!);
    }
  });
});

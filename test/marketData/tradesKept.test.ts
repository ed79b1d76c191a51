import { assert, describe, it } from "@effect/vitest";
import type { SwapEvent } from "@millrace/core";
import { blockAfter, poolAt, poolsBlock } from "../markets/marketPools.ts";
import { testMarket } from "../markets/recordedMarkets.ts";

const KEPT = 10_000;
const BLOCK_SWAPS = 3_000;

describe("trades that are kept", () => {
  it("a network's newest 10,000 trades are listed where nothing else is configured, over all pools", () => {
    const reserves = [10n ** 12n, 10n ** 24n] as const;
    const first = poolsBlock(2, [
      { tokens: [0, 1], reserves },
      { tokens: [0, 1], reserves },
    ]);
    const market = testMarket(first);
    const data = market.data();
    const [pools, [tokenIn, tokenOut]] = [[0, 1].map(poolAt), first.pools[0]!.tokens];
    const swaps = Array.from(
      { length: BLOCK_SWAPS },
      (_, logIndex): SwapEvent => ({
        ...{ pool: pools[logIndex % 3 === 0 ? 0 : 1]!, logIndex, priceAfter: 1e12 },
        ...{ tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: 10n ** 6n, amountOut: 10n ** 18n },
        transactionHash: `0x${logIndex.toString(16).padStart(64, "0")}`,
      }),
    );
    const count = Math.ceil(KEPT / BLOCK_SWAPS);
    for (let block = 0; block < count; block++) {
      market.apply(blockAfter(first.stamp.number + block, { swaps }));
      data.settle();
    }
    const [ofFirst, ofSecond] = pools.map((pool) =>
      data.trades(market.graph.findPool(pool)!, 1_000_000).map(({ id }) => id),
    ) as [string[], string[]];
    assert.strictEqual(ofFirst.length + ofSecond.length, KEPT);
    // The dropped trades are the first ones of the first block.
    const left = BLOCK_SWAPS * count - KEPT;
    const oldest = [ofFirst.at(-1)!, ofSecond.at(-1)!].map((id) => id.split("-").map(Number));
    const firstKept = Math.min(...oldest.map(([, logIndex]) => logIndex!));
    assert.strictEqual(firstKept, left);
    assert.isTrue(oldest.every(([number]) => number === first.stamp.number + 1));
    market.close();
  });
});

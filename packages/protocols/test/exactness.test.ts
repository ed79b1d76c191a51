import { REFUSED } from "@millrace/core";
import { readData } from "@millrace/testing";
import {
  engineMarket,
  type PlainPool,
  poolSwap,
  readMarket,
  swapConcentrated,
  swapConstantProduct,
  ticksOf,
} from "@millrace/testing/reference";
import { describe, expect, it } from "vitest";

interface RecordedQuote {
  readonly zeroForOne: boolean;
  readonly amountIn: string;
  readonly amountOut: string;
}

const listing = {
  address: `0x${"11".repeat(20)}`,
  dexId: "RECORDED",
  token0: `0x${"22".repeat(20)}`,
  token1: `0x${"33".repeat(20)}`,
} as const;

function engineOutput(pool: PlainPool, { zeroForOne, amountIn }: RecordedQuote): bigint {
  const { families, graph } = engineMarket({ chainId: 1, block: 1, pools: [pool] });
  const index = graph.findPool(pool.address)!;
  const [from, to] = zeroForOne ? [0, 1] : [1, 0];
  return families[graph.poolCurve[index]!]!.quoteExactIn(index, from, to, BigInt(amountIn));
}

describe("WBTC/WETH of Uniswap V3, as the chain's QuoterV2 answered", () => {
  const { pool: recorded, quotes } = readData<{
    pool: {
      sqrtPriceX96: string;
      tick: number;
      liquidity: string;
      fee: number;
      tickSpacing: number;
      ticks: ReadonlyArray<readonly [number, string]>;
    };
    quotes: ReadonlyArray<RecordedQuote>;
  }>("exactness/uniswap-v3-wbtc-weth.json");
  const pool: PlainPool & { family: "concentratedLiquidity" } = {
    ...listing,
    family: "concentratedLiquidity",
    feePips: recorded.fee,
    tickSpacing: recorded.tickSpacing,
    sqrtPriceX96: BigInt(recorded.sqrtPriceX96),
    tick: recorded.tick,
    liquidity: BigInt(recorded.liquidity),
    ticks: ticksOf(recorded.ticks),
  };
  // QuoterV2 does not say when the pool ran dry: for 2^255 − 1 it gives what everything in the pool
  // comes to, of which the swap takes only a part of the input. Such a swap is partial, and a quote
  // for all of the amount must refuse it.
  const partial = quotes.filter(
    ({ zeroForOne, amountIn }) => !poolSwap(pool, zeroForOne, BigInt(amountIn)).complete,
  );
  const whole = quotes.filter((quote) => !partial.includes(quote));

  it("has two partial fills, both of 2^255 − 1, and zeros where the input buys less than a unit", () => {
    expect(quotes).toHaveLength(40);
    expect(partial.map(({ amountIn }) => BigInt(amountIn))).toEqual([
      (1n << 255n) - 1n,
      (1n << 255n) - 1n,
    ]);
    for (const { amountIn, amountOut, zeroForOne } of whole) {
      if (amountOut !== "0") continue;
      expect(BigInt(amountIn)).toBeLessThan(zeroForOne ? 2n : 10n ** 12n);
    }
  });

  it.each(quotes)(
    "the reference gives $amountOut for $amountIn (zeroForOne $zeroForOne)",
    (quote) => {
      const { amountOut } = poolSwap(pool, quote.zeroForOne, BigInt(quote.amountIn));
      expect(amountOut).toBe(BigInt(quote.amountOut));
    },
  );

  it.each(whole)("the engine gives $amountOut for $amountIn (zeroForOne $zeroForOne)", (quote) => {
    expect(engineOutput(pool, quote)).toBe(BigInt(quote.amountOut));
  });

  it.each(partial)(
    "the engine refuses the partial fill of $amountIn (zeroForOne $zeroForOne)",
    (quote) => {
      expect(swapConcentrated(pool, quote.zeroForOne, "exactIn", BigInt(quote.amountIn))).toBe(
        undefined,
      );
      expect(engineOutput(pool, quote)).toBe(REFUSED);
    },
  );
});

describe("tBTC/WETH of Aerodrome (volatile), as the chain's router answered", () => {
  const { pool: recorded, quotes } = readData<{
    pool: { reserve0: string; reserve1: string; feeBps: number };
    quotes: ReadonlyArray<RecordedQuote>;
  }>("exactness/aerodrome-volatile-tbtc-weth.json");
  const pool: PlainPool & { family: "constantProduct" } = {
    ...listing,
    family: "constantProduct",
    rule: "feeFirst",
    feePips: recorded.feeBps * 100,
    reserve0: BigInt(recorded.reserve0),
    reserve1: BigInt(recorded.reserve1),
  };

  it("has 26 answers", () => expect(quotes).toHaveLength(26));

  it.each(quotes)(
    "reference and engine give $amountOut for $amountIn (zeroForOne $zeroForOne)",
    (quote) => {
      const swap = swapConstantProduct(pool, quote.zeroForOne, "exactIn", BigInt(quote.amountIn));
      expect(swap?.amountOut).toBe(BigInt(quote.amountOut));
      expect(engineOutput(pool, quote)).toBe(BigInt(quote.amountOut));
    },
  );
});

const GAS_PRICE_WEI = 10n * 10n ** 9n;
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

interface GoldenRow {
  readonly name: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: string;
  readonly status: string;
  readonly numSwaps: number;
  readonly amountOutNetGas: string;
  readonly gasEstimate: string;
}

describe.each(["a", "b"])(
  "what another router answered on universe %s, one swap into WETH",
  (name) => {
    const { router, graph } = engineMarket(readMarket(`ethereum-2026-03/universe-${name}.json`));
    const { rows } = readData<{ rows: ReadonlyArray<GoldenRow> }>(
      `ethereum-2026-03/golden-${name}.json`,
    );
    const oneSwap = rows.filter(
      ({ status, tokenOut, numSwaps }) =>
        status === "success" && tokenOut === WETH && numSwaps === 1,
    );

    it("has such rows", () => expect(oneSwap.length).toBeGreaterThanOrEqual(5));

    it.each(oneSwap)("$name, to the wei", (row) => {
      const quote = router.quote({
        tokenIn: graph.findToken(row.tokenIn)!,
        tokenOut: graph.findToken(row.tokenOut)!,
        kind: "exactIn",
        amount: BigInt(row.amountIn),
        maxHops: 1,
      });
      const gross = BigInt(row.amountOutNetGas) + BigInt(row.gasEstimate) * GAS_PRICE_WEI;
      expect(quote).toMatchObject({ found: true, amountOut: gross });
    });
  },
);

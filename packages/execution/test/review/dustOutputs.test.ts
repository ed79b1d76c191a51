import { NO_HASH, openMarket, recomputeRoute, sqrtRatioAtTick } from "@millrace/core";
import { curves, encodeConcentrated, encodeReserves } from "@millrace/protocols";
import { describe, expect, it } from "vitest";
import { reviewSwap } from "../../src/review/reviewSwap.ts";
import { address, NOW_SECONDS, pool, SENDER, token, WRAPPED } from "../market.ts";

/** The fewest and the most that a tick book spans, with one position over all of it. */
const wholeRange = (tickSpacing: number, liquidity: bigint) => {
  const tick = Math.floor(887_272 / tickSpacing) * tickSpacing;
  return [
    [-tick, liquidity],
    [tick, -liquidity],
  ] as const;
};

/**
 * Tokens 1 to 2 to 0 to 3 to 4. A unit of token 2 is worth 304 million of token 0, and the last
 * pool is so small that what is worth a unit of token 2 would run through its whole book.
 */
function coarseMarket() {
  const market = openMarket(1, curves);
  const listing = (venue: "UNISWAP_V2" | "UNISWAP_V3", one: number, other: number) => ({
    address: pool(venue, one, other),
    dexId: venue,
    tokens: [token(Math.min(one, other)), token(Math.max(one, other))],
  });
  const pair = { feePips: 2_000, parameter: 0 };
  const states = [
    {
      ...listing("UNISWAP_V3", 1, 2),
      ...{ feePips: 100, parameter: 1 },
      state: encodeConcentrated({
        ...{ sqrtPriceX96: 90_645_581_599_018_031_201_969n, tick: -273_632 },
        ...{ liquidity: 999_784_487_732_531_087n, ticks: wholeRange(1, 999_784_487_732_531_087n) },
      }),
    },
    {
      ...listing("UNISWAP_V2", 0, 2),
      ...pair,
      state: encodeReserves([989_944_593_039_962_274_649n, 3_246_402_313_525n]),
    },
    {
      ...listing("UNISWAP_V3", 0, 3),
      ...{ feePips: 3_000, parameter: 60 },
      state: encodeConcentrated({
        ...{ sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 220_450_117_156_827_522_710_359n },
        ticks: wholeRange(60, 220_450_117_156_827_522_710_359n),
      }),
    },
    {
      ...listing("UNISWAP_V3", 3, 4),
      ...{ feePips: 100, parameter: 1 },
      state: encodeConcentrated({
        ...{ sqrtPriceX96: sqrtRatioAtTick(400_000), tick: 400_000, liquidity: 23_425n },
        ticks: wholeRange(1, 23_425n),
      }),
    },
  ];
  const { rejected } = market.writer.applyBlock({
    stamp: { number: 77, hash: NO_HASH, timestampMs: NOW_SECONDS * 1_000 },
    dexes: [
      ...[{ id: "UNISWAP_V2", name: "V2", protocol: "constant-product", factory: address(1) }],
      ...[
        { id: "UNISWAP_V3", name: "V3", protocol: "concentrated-liquidity", factory: address(2) },
      ],
    ],
    tokens: [0, 1, 2, 3, 4].map((n) => ({
      ...{ address: token(n), decimals: 18, symbol: `T${n}`, name: `Token ${n}` },
    })),
    pools: states.map(({ state: _, ...each }) => each),
    removedPools: [],
    states: states.map(({ address: at, state }) => ({ pool: at, state })),
    ...{ swaps: [], supplies: [] },
  });
  expect(rejected).toEqual([]);
  return market;
}

const ROUTE = [
  ["UNISWAP_V3", 1, 2],
  ["UNISWAP_V2", 2, 0],
  ["UNISWAP_V3", 0, 3],
  ["UNISWAP_V3", 3, 4],
] as const;

/** The quote of seven units over the first so many pools, and what becomes of an order of it. */
function reviewDust(poolCount: number) {
  const market = coarseMarket();
  const { graph } = market;
  const route = ROUTE.slice(0, poolCount);
  const hops = route.map(([venue, from, to]) => ({
    pool: graph.findPool(pool(venue, from, to))!,
    tokenIn: graph.findToken(token(from))!,
    tokenOut: graph.findToken(token(to))!,
  }));
  const quoted = recomputeRoute(market, { kind: "exactOut", paths: [{ amount: 7n, hops }] });
  if (!quoted.filled) throw new Error(quoted.reason);
  const intent = reviewSwap(
    {
      ...{ sender: SENDER, tokenIn: token(1), tokenOut: token(route.at(-1)![2]) },
      ...{ isNativeIn: false, isNativeOut: false, kind: "exactOut", slippagePpm: 30_000 },
      ...{ amountIn: quoted.amountIn, amountOut: quoted.amountOut },
      steps: route.map(([venue, from, to]) => ({
        ...{ pool: pool(venue, from, to), tokenIn: token(from), tokenOut: token(to) },
      })),
    },
    {
      engine: {
        graph,
        familyOf: (index) => market.families[graph.poolCurve[index]!]!,
        recompute: (planned) => recomputeRoute(market, planned),
      },
      wrappedNative: WRAPPED,
      forbiddenRecipients: new Set(),
      nowSeconds: NOW_SECONDS,
    },
  );
  return { quoted, intent };
}

describe("an exact output of dust", () => {
  it("is bounded by its input where rounding may cost more than the slippage allows", () => {
    const { quoted, intent } = reviewDust(3);
    // A unit of the coarse token more.
    expect(quoted.inputBounds![0]).toBeGreaterThan((quoted.amountIn * 19n) / 10n);
    expect(intent).toMatchObject({ amountIn: quoted.amountIn, amountInMax: quoted.amountIn });
  });

  it("is refused where that input, put in, is more than a pool on the way can take", () => {
    const { quoted, intent } = reviewDust(4);
    expect(quoted.paths[0]!.map(({ amountOut }) => amountOut).slice(0, 1)).toEqual([1n]);
    expect(intent).toMatchObject({ refused: true, code: "AMOUNT_TOO_SMALL" });
  });
});

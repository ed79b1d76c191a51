import type { PlainPool } from "@millrace/testing/reference";
import { describe, it } from "vitest";
import { concentrated, pair, tokenAt } from "../markets/plainPools.ts";
import { expectAsGoodAsPlain } from "../reference/plainSplits.ts";

describe("paths that others hide in floats are found", () => {
  // The best walk through a pool first went round two others with a profit: 0.03 % was missing.
  it("behind a round trip with a profit", () => {
    const pools: ReadonlyArray<PlainPool> = [
      {
        ...pair(0, 0, 1, 10000),
        rule: "feeFirst",
        reserve0: 28472810129380433892388896768n,
        reserve1: 407976772762345920n,
      },
      {
        ...concentrated(1, 1, 3, 10000),
        ...{ tick: 218680, sqrtPriceX96: 4438364457223572829438008002347008n },
        liquidity: 839940186602612372467544171485331456n,
        ticks: new Map([
          [217200, 839940186602612372467544171485331456n],
          [219000, -839940186602612372467544171485331456n],
        ]),
      },
      {
        ...pair(2, 1, 3, 500),
        rule: "feeInside",
        reserve0: 379309577875483648n,
        reserve1: 1211357078227135578484244480n,
      },
      {
        ...pair(3, 2, 0, 3000),
        rule: "feeFirst",
        reserve0: 125315985465816711168n,
        reserve1: 978501018023966675470123008n,
      },
      {
        ...concentrated(4, 3, 2, 500),
        ...{ tick: -127928, sqrtPriceX96: 132161254453361749272821760n },
        liquidity: 515534440854512069509120n,
        ticks: new Map([
          [-128300, 236286618724984701321216n],
          [-127490, -236286618724984701321216n],
          [-129490, 279247822129527368187904n],
          [-127180, -279247822129527368187904n],
        ]),
      },
      {
        ...concentrated(5, 2, 1, 500),
        ...{ tick: -90790, sqrtPriceX96: 846289022261830987024433152n },
        liquidity: 16462440384557460140064768n,
        ticks: new Map([
          [-93290, 2880927067297555685572608n],
          [-90140, -2880927067297555685572608n],
          [-91740, 11798082275599512993005568n],
          [-88620, -11798082275599512993005568n],
          [-91120, 1783431041660391461486592n],
          [-88350, -1783431041660391461486592n],
        ]),
      },
    ];
    expectAsGoodAsPlain(pools, {
      ...{ tokenIn: tokenAt(0), tokenOut: tokenAt(2), kind: "exactOut" as const },
      ...{ amount: 7807185894497863552n, maxHops: 4, maxSplits: Number.POSITIVE_INFINITY },
    });
  });

  // Some forty units of a token pass, and rounding takes 7 %: 0.4 % was missing.
  it("behind roundings of a token of few units", () => {
    const pools: ReadonlyArray<PlainPool> = [
      { ...pair(0, 0, 1, 100), rule: "feeInside", reserve0: 12942548074n, reserve1: 8875364792n },
      {
        ...concentrated(1, 1, 2, 3000),
        ...{ tick: 66378, sqrtPriceX96: 2188771971497830904759010197504n },
        liquidity: 302885732100522776765399040n,
        ticks: new Map([
          [64860, 78164059896912792365563904n],
          [68160, -78164059896912792365563904n],
          [64620, 111662942709869134741504000n],
          [67380, -111662942709869134741504000n],
          [64920, 113058729493740849658331136n],
          [66600, -113058729493740849658331136n],
        ]),
      },
      {
        ...pair(2, 3, 1, 10000),
        rule: "feeFirst",
        reserve0: 17673348n,
        reserve1: 186153989453338n,
      },
      {
        ...concentrated(3, 3, 0, 3000),
        ...{ tick: 165630, sqrtPriceX96: 312831818636096401588429848051712n },
        liquidity: 2134969878203n,
        ticks: new Map([
          [164340, 2134969878203n],
          [168000, -2134969878203n],
        ]),
      },
      {
        ...concentrated(4, 3, 2, 500),
        ...{ tick: 228328, sqrtPriceX96: 7189838148033129654469999292579840n },
        liquidity: 552497665688n,
        ticks: new Map([
          [226720, 552497665688n],
          [230100, -552497665688n],
        ]),
      },
      {
        ...concentrated(5, 0, 2, 3000),
        ...{ tick: 62657, sqrtPriceX96: 1817189056494802470108047343616n },
        liquidity: 1498478861360n,
        ticks: new Map([
          [60840, 1198783089088n],
          [64860, -1198783089088n],
          [60600, 256882090519n],
          [64200, -256882090519n],
          [61560, 42813681753n],
          [64620, -42813681753n],
        ]),
      },
    ];
    expectAsGoodAsPlain(pools, {
      ...{ tokenIn: tokenAt(1), tokenOut: tokenAt(0), kind: "exactOut" as const },
      ...{ amount: 627713581n, maxHops: 3, maxSplits: 3 },
    });
  });
});

describe("of paths of which one passes a unit or two of a token on its way", () => {
  // Floats give it a third of the amount, for which integers get nothing: 0.06 % was missing.
  it("those are found that it outdoes in floats", () => {
    const pools: ReadonlyArray<PlainPool> = [
      { ...pair(0, 0, 1, 100), rule: "feeFirst", reserve0: 11624063304n, reserve1: 8956192487186n },
      {
        ...pair(1, 1, 0, 100),
        rule: "feeFirst",
        reserve0: 62964784579254n,
        reserve1: 83601378575n,
      },
      {
        ...concentrated(2, 0, 2, 100),
        tick: -191443,
        liquidity: 14848373498149n,
        sqrtPriceX96: 5520301480014869734359040n,
        ticks: new Map([
          [-193916, 14848373498149n],
          [-190962, -14848373498149n],
        ]),
      },
      {
        ...concentrated(3, 2, 1, 500),
        tick: 257884,
        liquidity: 22838939127563n,
        sqrtPriceX96: 31512899651324275792771747707617280n,
        ticks: new Map([
          [255490, 22838939127563n],
          [259680, -22838939127563n],
        ]),
      },
    ];
    const request = {
      ...{ tokenIn: tokenAt(1), tokenOut: tokenAt(0), kind: "exactIn" as const },
      ...{ amount: 935026495662n, maxHops: 3, maxSplits: 64 },
    };
    expectAsGoodAsPlain(pools, request);
  });
});

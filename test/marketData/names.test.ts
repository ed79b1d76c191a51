import { assert, describe, it } from "@effect/vitest";
import type { TokenIndex } from "@millrace/core";
import { poolsBlock } from "../markets/marketPools.ts";
import { testMarket } from "../markets/recordedMarkets.ts";

const TOKEN = 1 as TokenIndex;
const UNSAFE = "US\u202eD";

describe("tokens that are listed", () => {
  it("keep what their contract says well of itself beside what only a list can tell", () => {
    const reserves = [10n ** 12n, 10n ** 24n] as const;
    const first = poolsBlock(3, [
      { tokens: [0, 1], reserves },
      { tokens: [0, 2], reserves },
    ]);
    const [usdc, ...others] = first.tokens;
    const [noName, noSymbol] = [
      { ...others[0]!, symbol: "CHAIN", name: UNSAFE },
      { ...others[1]!, symbol: UNSAFE, name: "On chain" },
    ];
    const market = testMarket({ ...first, tokens: [usdc!, noName, noSymbol] });
    const listed = { symbol: "LIST", name: "Listed", decimals: 18 };
    const data = market.data(undefined, undefined, undefined, {
      listedTokens: new Map([noName, noSymbol].map(({ address }) => [address, listed])),
    });
    const told = [1, 2].map((token) => {
      const { symbol, name } = data.token(token as TokenIndex);
      return [symbol, name];
    });
    assert.deepStrictEqual(told, [
      ["CHAIN", "Listed"],
      ["LIST", "On chain"],
    ]);
    market.close();
  });

  it.each([0, 8, 17, 19, 36, 255])(
    "with %s decimals instead of the chain's 18 are told, and not heard",
    (decimals) => {
      const reserves = [10n ** 12n, 10n ** 24n] as const;
      const market = testMarket(poolsBlock(2, [{ tokens: [0, 1], reserves }]));
      const address = market.graph.tokenAddress(TOKEN);
      const data = market.data(undefined, undefined, undefined, {
        listedTokens: new Map([[address, { symbol: "LIST", name: "Listed", decimals }]]),
      });
      const { symbol, name, decimals: told } = data.token(TOKEN);
      assert.deepStrictEqual([symbol, name, told], ["T1", "T1", 18]);
      assert.deepStrictEqual(data.listDisagreements(), [
        { address, listedDecimals: decimals, chainDecimals: 18 },
      ]);
      market.close();
    },
  );
});

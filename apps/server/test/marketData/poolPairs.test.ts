import { CandleList, PoolAnswer, TradeList } from "@millrace/api";
import { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { issuesOf, recordedService, USDC, WETH } from "../kit/service.ts";

/** USDC and WETH on Uniswap V2. */
const POOL = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const DAI = "0x6b175474e89094c44da98b954eedeac495271d0f";
const STRICT = { onExcessProperty: "error" } as const;

const service = recordedService();

describe.each([
  ["candles", CandleList],
  ["trades", TradeList],
] as const)("the %s of a pool", (what, schema) => {
  const asked = (query: string) => service.get(`/pools/${POOL}/${what}${query}`);

  it("are of two of its tokens, of which one may be left out, in any case", async () => {
    for (const query of [
      `?base=${USDC}&quote=${WETH}`,
      `?base=${WETH}&quote=${USDC}`,
      `?base=${WETH}`,
      `?quote=${USDC}`,
      `?base=${WETH.toUpperCase().replace("X", "x")}`,
    ]) {
      const { status, json } = await asked(query);
      expect([query, status]).toEqual([query, 200]);
      Schema.decodeUnknownSync(schema)(json, STRICT);
    }
  });

  it("are refused for tokens that are not the pool's, or are one", async () => {
    const refused = async (query: string) => {
      const answer = await asked(query);
      expect([query, answer.status]).toEqual([query, 400]);
      return issuesOf(answer).map(({ code, path }) => `${code} ${path}`);
    };
    expect(await refused(`?base=${DAI}`)).toEqual(["invalid_value base"]);
    expect(await refused(`?quote=${DAI}`)).toEqual(["invalid_value quote"]);
    expect(await refused(`?base=${WETH}&quote=${WETH}`)).toEqual(["invalid_value quote"]);
    expect(await refused(`?base=${POOL}`)).toEqual(["invalid_value base"]);
    expect(await refused("?base=0x12")).toEqual(["invalid_format base"]);
    expect(await refused("?pair=1")).toEqual(["unrecognized_key pair"]);
  });
});

describe("a pool of two tokens", () => {
  it("has no list of them, as it never had", async () => {
    const { json } = await service.get(`/pools/${POOL}`);
    const { data } = Schema.decodeUnknownSync(PoolAnswer)(json, STRICT);
    expect([data.token0, data.token1]).toEqual([USDC, WETH]);
    expect(Object.keys(data)).not.toContain("tokens");
    expect(Object.keys(data)).not.toContain("reserves");
  });
});

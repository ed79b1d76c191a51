import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CandleList, PoolAnswer, TradeList } from "@millrace/api";
import { readData } from "@millrace/testing";
import { Schema } from "effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  configOf,
  issuesOf,
  recordedService,
  type Service,
  startService,
  USDC,
  WETH,
} from "../kit/service.ts";

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

describe("a pool of three tokens", () => {
  /** The recorded 3pool: DAI, USDC and USDT. */
  const { address, tokens, state } = readData<{
    pools: Record<
      string,
      {
        readonly address: string;
        readonly tokens: ReadonlyArray<string>;
        readonly state: { readonly balances: ReadonlyArray<string> };
      }
    >;
  }>("families/curve-stable.json").pools["3pool"]!;
  const coins = tokens.map((token) => token.toLowerCase());
  const pool = address.toLowerCase();
  const pairs = [0, 1, 2].flatMap((from) => [0, 1, 2].map((to) => [from, to] as const));
  let threePool: Service;
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "three-tokens-"));
    const path = join(folder, "market.json");
    const decimals = [18, 6, 6];
    const listed = coins.map((coin, at) => ({
      ...{ address: coin, symbol: `T${at}`, decimals: decimals[at] },
    }));
    const pools = [{ id: pool, kind: "curve-stable", tokens: coins, state }];
    writeFileSync(path, JSON.stringify({ chainId: 1, tokens: listed, pools }));
    threePool = await startService(await configOf({ MILLRACE_MARKET_FILE: path }));
  });
  afterAll(async () => {
    await threePool?.stop();
    rmSync(folder, { recursive: true });
  });

  it("is listed with all of them and what it holds of each", async () => {
    const { json } = await threePool.get(`/pools/${pool}`);
    const { data } = Schema.decodeUnknownSync(PoolAnswer)(json, STRICT);
    expect([data.token0, data.token1]).toEqual(coins.slice(0, 2));
    expect(data.tokens).toEqual(coins);
    expect(data.reserves).toEqual(state.balances);
    for (const coin of coins) {
      const listed = await threePool.get(`/pools?token=${coin}`);
      expect(
        listed.json.data.map((each: { poolAddress: string }) => each.poolAddress.toLowerCase()),
      ).toEqual([pool]);
    }
  });

  it.each([
    ["candles", CandleList],
    ["trades", TradeList],
  ] as const)("has %s of each of its pairs, and of no other", async (what, schema) => {
    for (const [from, to] of pairs) {
      const query = `base=${coins[from]}&quote=${coins[to]}`;
      const answer = await threePool.get(`/pools/${pool}/${what}?${query}`);
      expect([query, answer.status]).toEqual([query, from === to ? 400 : 200]);
      if (from !== to) Schema.decodeUnknownSync(schema)(answer.json, STRICT);
    }
    const other = await threePool.get(`/pools/${pool}/${what}?base=${coins[2]}&quote=${WETH}`);
    expect([other.status, issuesOf(other)[0]!.path]).toEqual([400, ["quote"]]);
  });

  it("is quoted between any two of them", async () => {
    for (const [from, to] of pairs.filter(([a, b]) => a !== b)) {
      const amountIn = from === 0 ? "1000000000000000000" : "1000000";
      const body = { tokenA: coins[from], tokenB: coins[to], amountIn, executable: false };
      const { status, json } = await threePool.post("/ETH/quote", body);
      expect([from, to, status]).toEqual([from, to, 200]);
      const received = Number(json.amountOut) / (to === 0 ? 1e18 : 1e6);
      expect(received).toBeGreaterThan(0.99);
      expect(received).toBeLessThan(1.01);
    }
  });
});

import type { Trade } from "../market.ts";
import type { Question } from "./Asker.ts";

/** Requests of one kind, by number; no cached answer to one answers the next. */
export interface Kind {
  readonly name: string;
  readonly question: (index: number) => Question;
}

/** The inputs of questions. */
export interface Material {
  /** The trades that the service answers with a quote. */
  readonly trades: ReadonlyArray<Trade>;
  /** The answers to `trades`, as JSON text. */
  readonly quotes: ReadonlyArray<string>;
  readonly tokens: ReadonlyArray<string>;
  readonly pools: ReadonlyArray<string>;
}

const OWNER = "0x00000000000000000000000000000000000000aa";
/** As many steps as a request may assume. */
const STEPS = 255;
const BODY_BYTES = 60_000;

interface Step {
  readonly tokenA: string;
  readonly tokenB: string;
  readonly poolAddress: string;
}

export function kindsOf({ trades, quotes, tokens, pools }: Material): ReadonlyArray<Kind> {
  const at = <A>(list: ReadonlyArray<A>, index: number): A => list[index % list.length]!;
  const quote = (name: string, options: (index: number) => object): Kind => ({
    name: `quote.${name}`,
    question: (index) => {
      const { tokenIn, tokenOut, amountIn } = at(trades, index);
      const asked = { tokenA: tokenIn, tokenB: tokenOut, amountIn: String(amountIn) };
      return { path: "/ETH/quote", body: JSON.stringify({ ...asked, ...options(index) }) };
    },
  });
  const swap = (path: "swap" | "permit"): Kind => ({
    name: path,
    question: (index) => ({
      path: `/ETH/${path}`,
      body: JSON.stringify({ publicKey: OWNER, quote: JSON.parse(at(quotes, index)) }),
    }),
  });
  const read = (name: string, path: (index: number) => string): Kind => ({
    name: `read.${name}`,
    question: (index) => ({ path: path(index) }),
  });
  const steps = (index: number, count: number) => {
    const { routePlan } = JSON.parse(at(quotes, index)) as { routePlan: ReadonlyArray<Step> };
    const { tokenA, tokenB, poolAddress } = routePlan[0]!;
    const step = { tokenA, tokenB, poolAddress, amountIn: "1000" };
    return [{ routePlan: Array.from({ length: count }, () => step) }];
  };
  return [
    quote("plain", () => ({})),
    quote("1-hop", () => ({ maxHops: 1 })),
    quote("certified", () => ({ certify: true })),
    quote("4-hops", () => ({ maxHops: 4 })),
    quote("exact-output", (index) => {
      const { amountOut } = JSON.parse(at(quotes, index)) as { amountOut: string };
      return { amountIn: undefined, amountOut };
    }),
    quote("2-splits", () => ({ maxSplits: 2 })),
    quote("8-splits", () => ({ maxSplits: 8 })),
    quote("64-splits", () => ({ maxSplits: 64 })),
    quote("64-splits-4-hops", () => ({ maxSplits: 64, maxHops: 4 })),
    quote("gas", () => ({ gasPriceWei: "20000000000" })),
    quote("100-excluded", (index) => ({
      excludePools: Array.from({ length: 100 }, (_, more) => at(pools, index + more)),
    })),
    quote("explain", () => ({ explain: true })),
    quote("explain-8-splits", () => ({ explain: true, maxSplits: 8 })),
    quote("assume-1", (index) => ({ assume: steps(index, 1) })),
    quote(`assume-${STEPS}`, (index) => ({ assume: steps(index, STEPS) })),
    quote("malformed", () => ({ maxHops: 9, more: 1 })),
    quote("long-malformed", () => ({ more: "x".repeat(BODY_BYTES) })),
    quote("long-numbers", () => ({ more: Array.from({ length: 8_000 }, () => 1) })),
    swap("swap"),
    swap("permit"),
    read("token", (index) => `/tokens/${at(tokens, index)}`),
    read("token-escaped", (index) => `/tokens/%30${at(tokens, index).slice(1)}`),
    read("tokens-1", (index) => `/tokens?limit=1&page=${1 + (index % 1_000)}`),
    read("tokens-50", (index) => `/tokens?page=${1 + (index % 400)}&chainId=8453`),
    read("tokens-500", (index) => `/tokens?limit=500&page=${1 + (index % 40)}&chainId=8453`),
    read("tokens-500-again", () => "/tokens?limit=500&chainId=8453"),
    read(
      "tokens-sorted",
      (index) => `/tokens?sort=-marketCap&minLiquidity=${1 + index}&limit=50&chainId=8453`,
    ),
    read("search", (index) => `/tokens/search/${"abcdefgh"[index % 8]}?limit=500&chainId=8453`),
    read("search-none", (index) => `/tokens/search/${"z".repeat(40)}${index}?chainId=8453`),
    read("pools-50", (index) => `/pools?page=${1 + (index % 400)}&chainId=8453`),
    read("pools-500", (index) => `/pools?limit=500&page=${1 + (index % 40)}&chainId=8453`),
    read("pools-500-again", () => "/pools?limit=500&chainId=8453"),
    read("pool", (index) => `/pools/${at(pools, index)}`),
    read("price", (index) => `/tokens/${at(tokens, index)}/price`),
    read("candles", (index) => `/tokens/${at(tokens, index)}/candles?interval=1m&limit=500`),
    read("trades", (index) => `/pools/${at(pools, index)}/trades?limit=500`),
    read("token-details", (index) => `/ETH/tokenDetails/${at(tokens, index)}`),
    read("token-price", (index) => `/ETH/tokenPrice/${at(tokens, index)}`),
    read("dexes", () => "/ETH/dexes"),
    read("networks", () => "/networks"),
    read("token-list", () => "/ETH/tokenList"),
    read("large-token-list", () => "/BIG/tokenList"),
    read("large-token-list-with-details", () => "/BIG/tokenListWithDetails"),
    read("unknown", (index) => `/nothing/${index}`),
    read("metrics", () => "/metrics"),
    read("docs", () => "/docs"),
    read("openapi", () => "/openapi.json"),
  ];
}

import { Schema } from "effect";
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { AddressJson } from "./address.ts";
import { CandleList, candleQuery } from "./candles.ts";
import {
  MarketInternal,
  MarketInvalid,
  MarketNotFound,
  MarketNotReady,
  MarketRateLimited,
  MarketUnauthorized,
} from "./marketFailures.ts";
import { MarketFailures } from "./middleware.ts";
import {
  addressParameter,
  amountOfDollars,
  limit,
  networkChoice,
  pagination,
  pairQuery,
  poolParameter,
  sortBy,
  text,
  wholeNumber,
} from "./parameters.ts";
import { Pool, PoolDetails, Token, TokenListEntry, TokenPrice } from "./token.ts";
import { networkTradeQuery, TradeList, tradeQuery } from "./trades.ts";

/** Fields that `/tokens` sorts by. */
export const TOKEN_SORT_FIELDS = [
  "address",
  "symbol",
  "name",
  "decimals",
  "chainId",
  "lastUpdated",
  "price",
  "liquidity",
  "marketCap",
  "fullyDilutedValuation",
  "volume24h",
  "volume6h",
  "volume1h",
  "volume5m",
  "txns24h",
  "buys24h",
  "sells24h",
  "priceChange5m",
  "priceChange1h",
  "priceChange6h",
  "priceChange24h",
] as const;

/** Fields that `/pools` sorts by. */
export const POOL_SORT_FIELDS = [
  "poolAddress",
  "token0",
  "token1",
  "fee",
  "liquidity",
  "sqrtPriceX96",
  "dexName",
  "protocol",
  "chainId",
  "blockNumber",
  "lastUpdated",
  "liquidityUsd",
  "volume24h",
] as const;

const success = Schema.Literal(true);

const Pagination = Schema.Struct({
  page: Schema.Number,
  limit: Schema.Number,
  total: Schema.Number,
  totalPages: Schema.Number,
  hasNext: Schema.Boolean,
  hasPrev: Schema.Boolean,
}).annotate({ identifier: "Pagination" });

const TokenFilters = {
  symbol: Schema.optionalKey(text("Tokens of this symbol, in any case.")),
  dex: Schema.optionalKey(text("Tokens that this DEX trades: its id or its name.")),
  minLiquidity: Schema.optionalKey(
    amountOfDollars("Tokens with at least this liquidity, US dollars."),
  ),
  minVolume24h: Schema.optionalKey(
    amountOfDollars("Tokens with at least this volume, US dollars."),
  ),
};

const PoolFilters = {
  token: Schema.optionalKey(AddressJson.annotate({ description: "Pools of this token." })),
  dex: Schema.optionalKey(text("Pools of this DEX: its id or its name.")),
  minLiquidityUsd: Schema.optionalKey(amountOfDollars("Pools with at least this liquidity.")),
  fee: Schema.optionalKey(wholeNumber(0, 1e6, "Pools with this fee; 3000 = 0.3 %.")),
};

/** The body of `/tokens`. */
export const TokenListJson = Schema.Struct({
  success,
  data: Schema.Array(TokenListEntry),
  pagination: Pagination,
  filters: Schema.Struct({
    symbol: Schema.optionalKey(Schema.String),
    dex: Schema.optionalKey(Schema.String),
    minLiquidity: Schema.optionalKey(Schema.Number),
    minVolume24h: Schema.optionalKey(Schema.Number),
  }).annotateKey({ description: "The filters applied; {} when there are none." }),
}).annotate({ identifier: "TokenList" });

/** The body of `/tokens/search/:query`. */
export const TokenSearch = Schema.Struct({
  success,
  data: Schema.Array(TokenListEntry),
  total: Schema.Number,
  query: Schema.String,
}).annotate({ identifier: "TokenSearch" });

/** The body of `/tokens/:address`. */
export const TokenAnswer = Schema.Struct({ success, data: Token }).annotate({
  identifier: "TokenAnswer",
});

/** The body of `/tokens/:address/price`. */
export const TokenPriceAnswer = Schema.Struct({ success, data: TokenPrice }).annotate({
  identifier: "TokenPriceAnswer",
});

/** The body of `/pools`. */
export const PoolList = Schema.Struct({
  success,
  data: Schema.Array(Pool),
  pagination: Pagination,
}).annotate({ identifier: "PoolList" });

/** The body of `/pools/:address`. */
export const PoolAnswer = Schema.Struct({ success, data: PoolDetails }).annotate({
  identifier: "PoolAnswer",
});

const listErrors = [
  MarketInvalid,
  MarketUnauthorized,
  MarketNotFound,
  MarketRateLimited,
  MarketInternal,
  MarketNotReady,
];

/** The market-data interface: tokens, pools and prices of one network, the primary by default. */
export class MarketApi extends HttpApiGroup.make("market")
  .add(
    HttpApiEndpoint.get("tokens", "/tokens", {
      query: {
        ...pagination,
        sort: sortBy(TOKEN_SORT_FIELDS, "-liquidity"),
        ...TokenFilters,
        ...networkChoice,
      },
      success: TokenListJson,
      error: listErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "List tokens" })),
    HttpApiEndpoint.get("searchTokens", "/tokens/search/:query", {
      params: { query: text("Matched on symbol and name, in any case.") },
      query: { limit: limit(), ...networkChoice },
      success: TokenSearch,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Search tokens",
        description: "Exact symbols first, then prefixes, then parts; ties by liquidity.",
      }),
    ),
    HttpApiEndpoint.get("token", "/tokens/:address", {
      params: addressParameter,
      query: networkChoice,
      success: TokenAnswer,
      error: listErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "Get a token" })),
    HttpApiEndpoint.get("tokenPrice", "/tokens/:address/price", {
      params: addressParameter,
      query: networkChoice,
      success: TokenPriceAnswer,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get a token's price and where it comes from",
        description: "Prices come from configured anchors, along the deepest pools.",
      }),
    ),
    HttpApiEndpoint.get("tokenCandles", "/tokens/:address/candles", {
      params: addressParameter,
      query: { ...candleQuery, ...networkChoice },
      success: CandleList,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get a token's candles",
        description:
          "Prices at the end of each block in which the token traded, in US dollars. How far back " +
          "they go is in `history` of `/health/ready`.",
      }),
    ),
    HttpApiEndpoint.get("tokenTrades", "/tokens/:address/trades", {
      params: addressParameter,
      query: { ...tradeQuery, ...networkChoice },
      success: TradeList,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a token's trades",
        description:
          "Swaps of any pool that take the token or pay it out, also of pools that are not loaded. " +
          "The newest first; the next page is what is `before` the last one's id. Without a history " +
          "the service keeps the last trades of the whole network, 10,000 as a rule.",
      }),
    ),
    HttpApiEndpoint.get("trades", "/trades", {
      query: { ...networkTradeQuery, ...networkChoice },
      success: TradeList,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a network's trades",
        description:
          "Of all pools, the newest first; those of a maker or a transaction where they are named, " +
          "which go back as far as the network's history does. `side` and `price` are of the token " +
          "with the lower address.",
      }),
    ),
    HttpApiEndpoint.get("pools", "/pools", {
      query: {
        ...pagination,
        sort: sortBy(POOL_SORT_FIELDS, "-liquidityUsd"),
        ...PoolFilters,
        ...networkChoice,
      },
      success: PoolList,
      error: listErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "List pools" })),
    HttpApiEndpoint.get("pool", "/pools/:address", {
      params: poolParameter,
      query: networkChoice,
      success: PoolAnswer,
      error: listErrors,
    }).annotateMerge(OpenApi.annotations({ summary: "Get a pool" })),
    HttpApiEndpoint.get("poolCandles", "/pools/:address/candles", {
      params: poolParameter,
      query: { ...candleQuery, ...pairQuery, ...networkChoice },
      success: CandleList,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Get a pool's candles",
        description:
          "Mid prices after each swap between two tokens of the pool, of one base in the quote, in " +
          "whole tokens: of token0 in token1 where none are named.",
      }),
    ),
    HttpApiEndpoint.get("poolTrades", "/pools/:address/trades", {
      params: poolParameter,
      query: { ...tradeQuery, ...pairQuery, ...networkChoice },
      success: TradeList,
      error: listErrors,
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a pool's trades",
        description:
          "Between two of its tokens, token0 and token1 where none are named. The newest first; the " +
          "next page is what is `before` the last one's id. Without a history the service " +
          "keeps the last trades of the whole network, 10,000 as a rule. Of a pool that is not " +
          "loaded there are none (404), though its swaps count for its tokens.",
      }),
    ),
  )
  .middleware(MarketFailures)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Market data",
      description:
        "Tokens, pools and prices. One network: the primary one, or the one that `network` or " +
        "`chainId` names. The native token's address stands for its wrapped form. A parameter " +
        "that does not exist is refused.",
    }),
  ) {}

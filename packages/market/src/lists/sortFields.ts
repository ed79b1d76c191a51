/** What a token list can be sorted by: the fields of the wire. */
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
] as const;

/** What a pool list can be sorted by: the fields of the wire. */
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

export type TokenSortField = (typeof TOKEN_SORT_FIELDS)[number];
export type PoolSortField = (typeof POOL_SORT_FIELDS)[number];

/** A field, ascending; `-field` descending. Ties are in the order of addresses either way. */
export type TokenSort = TokenSortField | `-${TokenSortField}`;
export type PoolSort = PoolSortField | `-${PoolSortField}`;

/** Fields that are sums over a rolling window. */
export type TokenSumField =
  | "volume24h"
  | "volume6h"
  | "volume1h"
  | "volume5m"
  | "txns24h"
  | "buys24h"
  | "sells24h";
export type PoolSumField = "volume24h";

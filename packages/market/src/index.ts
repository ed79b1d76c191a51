export type {
  Anchor,
  MarketData,
  MarketDataOptions,
  Page,
  PoolQuery,
  PoolView,
  PriceView,
  TokenQuery,
  TokenView,
} from "./MarketData.ts";
export { makeMarketData } from "./makeMarketData.ts";
export {
  POOL_SORT_FIELDS,
  type PoolSort,
  TOKEN_SORT_FIELDS,
  type TokenSort,
} from "./sortFields.ts";

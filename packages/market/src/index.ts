export { checkSaved } from "./activity/checkSaved.ts";
export type { Trade } from "./activity/TradedBlock.ts";
export type { PriceDisagreement } from "./auditPrices.ts";
export type { Candle } from "./candles/Candle.ts";
export type { PoolSort, TokenSort } from "./listKeys.ts";
export type {
  Anchor,
  ListedToken,
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
export type { ListDisagreement } from "./metadata/Listings.ts";
export {
  type ListContradiction,
  listContradictions,
  mergeTokenLists,
} from "./metadata/mergeTokenLists.ts";
export { parseSupplies, type SupplyFile } from "./metadata/parseSupplies.ts";
export { parseTokenList, type TokenList } from "./metadata/parseTokenList.ts";

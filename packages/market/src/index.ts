export type { ArchivedBlock, ArchivedSwap } from "./activity/ArchivedBlock.ts";
export { checkSaved } from "./activity/checkSaved.ts";
export type { Trade, TradeParties } from "./activity/TradedBlock.ts";
export { tradeView } from "./activity/tradeView.ts";
export {
  CANDLE_LENGTHS,
  type Candle,
  type CandleInterval,
  type CandleRange,
} from "./candles/Candle.ts";
export type { PoolSort, TokenSort } from "./lists/listKeys.ts";
export type {
  Anchor,
  MarketData,
  MarketDataOptions,
  Page,
  PoolPair,
  PoolQuery,
  PoolView,
  PriceView,
  TokenQuery,
  TokenView,
} from "./MarketData.ts";
export { makeMarketData } from "./makeMarketData.ts";
export type { ListedToken } from "./metadata/ListedToken.ts";
export type { ListDisagreement } from "./metadata/Listings.ts";
export {
  type ListContradiction,
  listContradictions,
  mergeTokenLists,
} from "./metadata/mergeTokenLists.ts";
export { parseSupplies, type SupplyFile } from "./metadata/parseSupplies.ts";
export { parseTokenList, type TokenList } from "./metadata/parseTokenList.ts";
export type { PriceDisagreement } from "./prices/auditPrices.ts";

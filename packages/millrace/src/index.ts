/** Everything in one: the engine with all families and plain promises, presets, and the service. */
export {
  type NetworkPreset,
  networkPreset,
  networkPresets,
  type PresetId,
} from "@millrace/networks";
export type {
  AppliedHead,
  EngineHealth,
  NetworkInfo,
  PricedToken,
  QuoteUpdate,
  RoundTrip,
} from "./answers.ts";
export type { QuoteExplanation, RouteStep } from "./FoundRoute.ts";
export type {
  ListPage,
  PoolListOptions,
  PoolSummary,
  TokenListOptions,
  TokenPriceChanges,
  TokenSummary,
} from "./MarketLists.ts";
export type {
  CandleOptions,
  MarketTrade,
  PriceCandle,
  RecordSubject,
  TradeOptions,
} from "./MarketRecords.ts";
export { type CallOptions, MillraceEngine } from "./MillraceEngine.ts";
export { MillraceError, type MillraceErrorCode } from "./MillraceError.ts";
export type { AsOfBlock, LogEntry, MarketOrigin, OpenOptions } from "./OpenOptions.ts";
export { openEngine } from "./openEngine.ts";
export type { RouteQuote } from "./RouteQuote.ts";
export type { RouteAssumption, RouteRequest } from "./RouteRequest.ts";
export type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";

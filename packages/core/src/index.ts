export { Engine, type EngineOptions, QuoteError } from "./Engine.ts";
export { type HistoryStatus, type MarketSource, MarketSourceError } from "./MarketSource.ts";
export * from "./pure.ts";
export { GraphReaders } from "./workers/GraphReaders.ts";
export { isHeavy } from "./workers/isHeavy.ts";
export { MarketReader } from "./workers/MarketReader.ts";
export type { GraphUpdate } from "./workers/messages.ts";
export type { SearchCounts } from "./workers/SearchPool.ts";
export {
  openSearchWorkers,
  type SearchWorkers,
  type SearchWorkersOptions,
} from "./workers/SearchWorkers.ts";

export { PackedReader } from "./blocks/PackedReader.ts";
export { PackedWriter } from "./blocks/PackedWriter.ts";
export {
  chainOfHistory,
  type EmbeddedHistoryOptions,
  embeddedHistory,
} from "./embedded/embeddedHistory.ts";
export type { HistoryBlock, HistorySwap, HistoryTrade } from "./HistoryBlock.ts";
export {
  type BlocksQuery,
  type CandlesQuery,
  type CoveredBlocks,
  type CoveredRange,
  type HistoryCandle,
  type HistoryChange,
  type HistoryDamage,
  HistoryError,
  type HistorySize,
  type HistoryStore,
  type StateRange,
  type StatesQuery,
  type StoredState,
  type TradesQuery,
} from "./HistoryStore.ts";
export { type PostgresHistoryOptions, postgresHistory } from "./postgres/postgresHistory.ts";
export { type BlockBefore, DraftWriter, readDraft } from "./states/draftBytes.ts";
export { type PastMarketOptions, recordedMarket } from "./states/recordedMarket.ts";
export { type RecordStatesOptions, recordStates } from "./states/recordStates.ts";
export { StateDraft } from "./states/StateDraft.ts";
export {
  HistoryWriter,
  type HistoryWriterOptions,
  type WriterStatus,
} from "./writing/HistoryWriter.ts";

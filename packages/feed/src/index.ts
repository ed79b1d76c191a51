export { decodeEntry, encodeEntry, type FeedEntry } from "./bytes/entryBytes.ts";
export { FeedBytesError } from "./bytes/sealed.ts";
export type {
  FeedOptions,
  FeedRole,
  FeedStatus,
  LeadingSource,
  MarketFeed,
  OwnSource,
} from "./following/FeedOptions.ts";
export type { TakenAttachment } from "./following/FeedState.ts";
export { openFeed } from "./following/openFeed.ts";
export {
  type AppendOutcome,
  type BlockRange,
  type FeedLog,
  FeedLogError,
  type FeedPosition,
  type FeedRecord,
  type FeedRequest,
  type Lease,
  type LogStanding,
} from "./log/FeedLog.ts";
export { MemoryLog, type MemoryLogState } from "./log/MemoryLog.ts";
export { type RedisLogOptions, redisLog } from "./log/redisLog.ts";
export type { MarketPoint } from "./market/MarketPoint.ts";

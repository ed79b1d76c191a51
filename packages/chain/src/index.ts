export type {
  Admission,
  ArchiveOptions,
  ChainOptions,
  Completeness,
  CompletenessProof,
  FollowedProtocol,
  Progress,
} from "./ChainOptions.ts";
export type { ChainStatus, DexStatus, RefusedPools } from "./ChainStatus.ts";
export { type ChainSource, chainSource } from "./chainSource.ts";
export { type Disk, DiskError } from "./disk/Disk.ts";
export { folderDisk } from "./disk/folderDisk.ts";
export type { QuotedSwap } from "./follow/QuotedSwap.ts";
export type { VerifyReport } from "./follow/verifyMarket.ts";
export type { ArchiveProgress } from "./history/historyStatus.ts";
export type { KnownRange } from "./history/KnownRange.ts";
export type { PublishedKnown, PublishedSoFar } from "./history/publishedRanges.ts";
export type { EndpointConfig, EndpointStatus } from "./rpc/Endpoints.ts";
export { RpcError } from "./rpc/RpcError.ts";
export { type HttpReply, type Transport, TransportError } from "./rpc/Transport.ts";

import type { Hex } from "@millrace/protocols";
import type { Admission, FollowedProtocol, Progress } from "../ChainOptions.ts";
import type { BlockReader } from "../reading/callAll.ts";
import type { NativeToken } from "../reading/readTokens.ts";
import type { Endpoints } from "../rpc/Endpoints.ts";
import type { BlockLogs } from "./BlockLogs.ts";
import type { Dexes } from "./Dexes.ts";

/** Everything that reading a market needs. */
export interface MarketReading {
  readonly endpoints: Endpoints;
  readonly dexes: Dexes;
  readonly nativeToken: NativeToken;
  readonly protocols: ReadonlyArray<FollowedProtocol>;
  readonly blockLogs: BlockLogs;
  /** Reads contracts at a block, through whichever endpoint is healthy. */
  readonly readerAt: (blockHash: Hex) => BlockReader;
  /** The newest blocks, this many, are not asked for by range. */
  readonly journalDepth: number;
  /**
   * The market is read this many blocks before the head, and followed from there, so that a short
   * reorganisation right after can be undone.
   */
  readonly lookBack: number;
  readonly admission: Admission;
  readonly onProgress: (progress: Progress) => void;
}

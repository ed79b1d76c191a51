import type { PastBlock } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { Effect } from "effect";
import type { Following } from "../follow/Following.ts";
import type { BlockId, Header } from "../follow/Header.ts";
import { headersBack } from "../follow/headersBack.ts";
import type { PastPart } from "../follow/MarketContent.ts";
import { swapsIn } from "../follow/swapsIn.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { checkOneBlock } from "./checkOneBlock.ts";
import { datedBlocks, type LoggedBlock } from "./datedBlocks.ts";
import { readRange } from "./readRange.ts";

const CONCURRENT_BLOCKS = 4;
/** Decoding takes about 10 µs a log; after this many, other work gets its turn. */
const SLICE_LOGS = 256;

/**
 * The blocks from a number up to a block, read in one range, where reorganisations hardly reach.
 */
export const readSettled = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  following: Following,
  topics: ReadonlySet<Hex>,
  fromBlock: number,
  to: BlockId,
): Effect.fn.Return<PastPart, RpcError> {
  const { mirror, reading } = following;
  const range = yield* readRange(endpoint, topics, fromBlock, to);
  const { first, last, logs } = range;
  yield* checkOneBlock(endpoint, following.fetching.blockLogs, topics, range);
  const own = logs.filter(({ log }) => reading.dexes.subjectsOf(log, mirror.discovered).length > 0);
  const blocks = yield* datedBlocks(endpoint, { first, last }, own);
  return yield* partOf(following, first, last, blocks, logs.length);
});

/** The same, read one by one and by hash, as blocks are followed: for blocks near the head. */
export const readRecent = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  following: Following,
  fromBlock: number,
  to: BlockId,
): Effect.fn.Return<PastPart, RpcError> {
  const headers = yield* headersBack(endpoint, fromBlock, to);
  const { blockLogs } = following.fetching;
  const logs = yield* Effect.forEach(headers, (header) => blockLogs(endpoint, header), {
    concurrency: CONCURRENT_BLOCKS,
  });
  const blocks = headers.map((header, index) => ({ stamp: stampOf(header), logs: logs[index]! }));
  const logCount = logs.reduce((count, { length }) => count + length, 0);
  return yield* partOf(following, headers.at(-1)!, headers[0]!, blocks.toReversed(), logCount);
});

const partOf = Effect.fnUntraced(function* (
  { mirror, reading }: Following,
  first: Header,
  last: Header,
  blocks: ReadonlyArray<LoggedBlock>,
  logCount: number,
) {
  const past: PastBlock[] = [];
  let inSlice = 0;
  for (const { stamp, logs } of blocks) {
    inSlice += logs.length;
    if (inSlice > SLICE_LOGS) {
      inSlice = logs.length;
      yield* Effect.yieldNow;
    }
    const swaps = swapsIn(logs, mirror.discovered, reading.dexes);
    if (swaps.length > 0 || stamp.number === last.number) past.push({ stamp, swaps });
  }
  // This block later shows whether the range is still on the chain.
  if (past.at(-1)?.stamp.number !== last.number) past.push({ stamp: stampOf(last), swaps: [] });
  const { number: fromBlock, timestampMs: fromMs, parentHash } = first;
  const range = { fromBlock, toBlock: last.number, fromMs, parentHash };
  return { range, blocks: past.reverse(), logCount } satisfies PastPart;
});

function stampOf({ number, hash, timestampMs }: Header) {
  return { number, hash, timestampMs };
}

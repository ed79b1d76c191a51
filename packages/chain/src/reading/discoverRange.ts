import type { Address } from "@millrace/core";
import type { FollowedDex, Hex } from "@millrace/protocols";
import { Effect, Result, Stream } from "effect";
import type { Endpoint, Endpoints } from "../rpc/Endpoints.ts";
import { jitteredBackoff } from "../rpc/jitteredBackoff.ts";
import { badData, type RpcError } from "../rpc/RpcError.ts";
import { type Counter, type Counters, collectPools } from "./collectPools.ts";
import { configuredCreations, type SortedCreations, sortCreations } from "./creations.ts";
import { fetchCreations, LOG_COUNT_MAX } from "./fetchCreations.ts";
import { faster, PACE_FIRST, type RangePace, slower } from "./rangePace.ts";

export interface DiscoverOptions {
  readonly endpoints: Endpoints;
  readonly dexes: ReadonlyArray<FollowedDex>;
  /** Inclusive, as `toBlock`. */
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** What a further range of blocks brought to light. */
export interface DiscoveredChunk {
  /** In the order of the chain. No pool comes twice in a stream, unless the stream goes back. */
  readonly creations: SortedCreations;
  /** Logs of factories that announce no pool, or one at an address that is not theirs. */
  readonly skipped: number;
  /** All pools up to this block are known; a later discovery can go on after it. */
  readonly discoveredTo: { readonly number: number; readonly hash: Hex };
  /**
   * The block before the first one read: the chunk continues what was known up to there. It is the
   * end of an earlier chunk, mostly of the previous one. When a node turns out to have left out
   * logs, the stream goes back, and results from later blocks no longer count.
   */
  readonly follows: { readonly number: number; readonly hash: Hex };
}

/** A longer range may follow one that gives fewer logs. */
const LOG_COUNT_AMPLE = LOG_COUNT_MAX / 4;
/** Number of tries for a single block, each time at all endpoints. */
const BLOCK_TRIES = 6;
/** How often the stream goes back for logs that were left out. */
const RETURNS = 6;
const WAIT_FIRST_MS = 250;
const WAIT_MAX_MS = 8_000;
/** Surely not the range's fault: halving it at once would only be in the way. */
const OUTAGES: ReadonlySet<RpcError["reason"]> = new Set([
  "Unreachable",
  "RateLimited",
  "WrongChain",
]);

/**
 * All pools that the factories of the given DEXes created in a range of blocks, chunk by chunk.
 * Ranges adapt: they halve after any error and double when all goes well. Results before an error
 * are good; a new stream can go on after `discoveredTo`.
 */
export function discoverRange(options: DiscoverOptions): Stream.Stream<DiscoveredChunk, RpcError> {
  const start: Cursor = {
    next: options.fromBlock,
    pace: PACE_FIRST,
    counters: countersAt(options.dexes, options.fromBlock),
    returnsLeft: RETURNS,
  };
  return Stream.suspend(() => {
    const earlier: Earlier = { seen: new Map(), starts: [] };
    return Stream.unfold(start, (cursor) => advance(options, earlier, cursor));
  });
}

/** Where a chunk begins. */
interface ChunkStart {
  /** The first block that is not known. */
  readonly next: number;
  readonly counters: Counters;
}

interface Cursor extends ChunkStart {
  readonly pace: RangePace;
  readonly returnsLeft: number;
}

/** The chunks that are still valid. */
interface Earlier {
  /** Value: the block that created the pool. */
  readonly seen: Map<Address, number>;
  /** Ascending. */
  readonly starts: ChunkStart[];
}

/** The next chunk, however long it takes; it is added to `earlier`. */
const advance = Effect.fnUntraced(function* (
  { endpoints, dexes, toBlock }: DiscoverOptions,
  { seen, starts }: Earlier,
  cursor: Cursor,
) {
  let { next, counters, pace, returnsLeft } = cursor;
  let failures = 0;
  let blockFailures = 0;
  while (next <= toBlock) {
    const firstStart = Math.min(toBlock, ...dexes.map(({ dex }) => dex.startBlock));
    next = Math.max(next, firstStart);
    const last = Math.min(next + pace.blockCount - 1, toBlock);
    const open = dexes.filter(({ dex }) => dex.startBlock <= last);
    const answer = yield* fetchRange(endpoints, open, counters, next, last);
    if (!("error" in answer)) {
      const configured = configuredCreations(open, next, last);
      const creations = sortCreations([...configured, ...answer.logged]);
      const pools = creations.pools.filter(({ listing }) => !seen.has(listing.address));
      for (const { listing, block } of pools) seen.set(listing.address, block);
      const chunk: DiscoveredChunk = {
        creations: { ...creations, pools },
        skipped: answer.skipped,
        discoveredTo: { number: last, hash: answer.toHash },
        follows: { number: next - 1, hash: answer.parentHash },
      };
      const isFull = last - next + 1 === pace.blockCount;
      if (isFull && answer.logCount < LOG_COUNT_AMPLE) pace = faster(pace);
      starts.push({ next, counters });
      return [chunk, { next: last + 1, pace, counters: answer.counters, returnsLeft }] as const;
    }
    failures++;
    if (answer.missingAfterBlock < next && returnsLeft > 0) {
      // An earlier answer left logs out: back to the start of the chunk with the last known
      // creation. A start within that chunk would follow a block whose hash nobody has compared.
      const { missingAfterBlock } = answer;
      while (starts.at(-1)!.next > missingAfterBlock) starts.pop();
      ({ next, counters } = starts.pop()!);
      for (const [address, createdBlock] of seen) if (createdBlock >= next) seen.delete(address);
      returnsLeft--;
      yield* wait(RETURNS - returnsLeft);
    } else if (last > next) {
      pace = slower(pace, last - next + 1);
      if (OUTAGES.has(answer.error.reason)) yield* wait(failures);
    } else {
      blockFailures++;
      if (blockFailures === BLOCK_TRIES) return yield* answer.error;
      yield* wait(failures);
    }
  }
  return undefined;
});

/** The creations of a range, from the first endpoint with a sound answer; or the last error. */
const fetchRange = Effect.fnUntraced(function* (
  endpoints: Endpoints,
  followed: ReadonlyArray<FollowedDex>,
  counters: Counters,
  fromBlock: number,
  toBlock: number,
) {
  let missingAfterBlock = toBlock;
  const ask = Effect.fnUntraced(function* (endpoint: Endpoint) {
    const { logs, toHash, parentHash } = yield* fetchCreations(
      endpoint,
      followed,
      fromBlock,
      toBlock,
    );
    const found = yield* collectPools(followed, logs, counters);
    if (!("missingAfterBlock" in found))
      return { ...found, toHash, parentHash, logCount: logs.length };
    missingAfterBlock = found.missingAfterBlock;
    return yield* badData(endpoint, "eth_getLogs", found.detail);
  });
  // Another node's answer would not be shorter, and this node is not to blame.
  const askForLess = (endpoint: Endpoint) =>
    ask(endpoint).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "TooLarge" && toBlock > fromBlock,
        (error) => Effect.succeed({ error, missingAfterBlock }),
      ),
    );
  const answer = yield* Effect.result(endpoints.withEndpoint(askForLess));
  if (Result.isSuccess(answer)) return answer.success;
  return { error: answer.failure, missingAfterBlock };
});

const wait = (failures: number) =>
  Effect.flatMap(jitteredBackoff(failures, WAIT_FIRST_MS, WAIT_MAX_MS), Effect.sleep);

/** When discovery begins with a DEX, the first creation counted must be its first. */
function countersAt(followed: ReadonlyArray<FollowedDex>, fromBlock: number): Counters {
  const counters = new Map<Address, Counter>();
  for (const { dex, creationNumber } of followed) {
    if (creationNumber === undefined || dex.startBlock < fromBlock) continue;
    counters.set(dex.factory, { number: 0n, blockNumber: dex.startBlock });
  }
  return counters;
}

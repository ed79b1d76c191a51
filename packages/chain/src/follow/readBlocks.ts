import type { Address } from "@millrace/core";
import type { CallAnswer, FollowedState, PoolRefusal } from "@millrace/protocols";
import { Effect } from "effect";
import { callIsolated } from "../reading/callIsolated.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { type ReadablePool, readStates } from "../reading/readStates.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockContent, BlockReadings, LoggedContent } from "./BlockContent.ts";
import type { Following } from "./Following.ts";
import type { Header } from "./Header.ts";
import type { MarketReading } from "./MarketReading.ts";

/** Nodes keep the state of about 128 blocks; contracts cannot be asked at older ones. */
const STATE_BLOCKS = 100;
const CONCURRENT_BLOCKS = 4;
/** Pools may be loaded while others are read; what is missing then is read in a further round. */
const ROUNDS_MAX = 4;
/**
 * After this many failures in a row, blocks are taken without what only contracts tell. The pools
 * that need it leave the market, and the others need not wait.
 */
const FAILURES_BORNE = 5;

/**
 * The contents of blocks, each the child of the one before, with what no log tells of the loaded
 * pools, read at each block itself. `newest` is the end of the branch.
 */
export const readBlocks = Effect.fnUntraced(function* (
  following: Following,
  contents: ReadonlyArray<LoggedContent>,
  newest: Header,
): Effect.fn.Return<ReadonlyArray<BlockContent>, RpcError> {
  const { reading, condition } = following;
  const blocks = contents.map((content) => ({ content, readings: new Readings() }));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const wanted = wantedOf(following, contents).map((pools, index) =>
      blocks[index]!.readings.missing(pools),
    );
    const open = blocks.flatMap((block, index) => {
      const pools = wanted[index]!;
      const isEmitted = newest.number - block.content.header.number <= STATE_BLOCKS;
      return isEmitted && pools.again.length + pools.moving.length > 0 ? [{ ...block, pools }] : [];
    });
    if (open.length === 0) break;
    yield* Effect.forEach(
      open,
      ({ content, readings, pools }) => readInto(readings, reading, content.header, pools),
      { concurrency: CONCURRENT_BLOCKS, discard: true },
    ).pipe(Effect.catch((error) => (condition.failures < FAILURES_BORNE ? error : Effect.void)));
  }
  return blocks.map(({ content, readings }) => ({ ...content, readings }));
});

/** Answers at a block of pools that change without logs. */
export const readMoving = Effect.fnUntraced(function* (
  { readerAt }: Pick<MarketReading, "readerAt">,
  { hash }: Pick<Header, "hash">,
  pools: ReadonlyArray<ReadablePool>,
): Effect.fn.Return<ReadonlyMap<Address, ReadonlyArray<CallAnswer>>, RpcError> {
  const calls = pools.map(({ dex, listing }) => dex.eachBlock!.calls(listing));
  const answers = yield* callIsolated(readerAt(hash), calls.flat());
  const byPool = new Map<Address, ReadonlyArray<CallAnswer>>();
  let at = 0;
  for (const [index, { listing }] of pools.entries()) {
    const from = at;
    at += calls[index]!.length;
    byPool.set(listing.address, answers.slice(from, at));
  }
  return byPool;
});

/** Pools whose change in a block no log tells. */
interface WantedPools {
  /** Pools to be read again. */
  readonly again: ReadonlyArray<ReadablePool>;
  /** Pools that change without logs. */
  readonly moving: ReadonlyArray<ReadablePool>;
}

class Readings implements BlockReadings {
  readonly states = new Map<Address, FollowedState | PoolRefusal | undefined>();
  readonly answers = new Map<Address, ReadonlyArray<CallAnswer>>();

  missing({ again, moving }: WantedPools): WantedPools {
    return {
      again: again.filter(({ listing }) => !this.states.has(listing.address)),
      moving: moving.filter(({ listing }) => !this.answers.has(listing.address)),
    };
  }
}

const readInto = Effect.fnUntraced(function* (
  readings: Readings,
  reading: MarketReading,
  header: Header,
  { again, moving }: WantedPools,
): Effect.fn.Return<void, RpcError> {
  const answers = yield* readMoving(reading, header, moving);
  for (const [pool, answered] of answers) readings.answers.set(pool, answered);
  const states = again.length === 0 ? [] : yield* readStates(reading.readerAt(header.hash), again);
  for (const [index, { listing }] of again.entries()) {
    readings.states.set(listing.address, states[index]);
  }
});

/**
 * The pools that each block leaves to be read, among those that are loaded now or created in one of
 * the blocks.
 */
function wantedOf(
  { mirror, reading: { dexes }, fetching: { loadsAtOnce } }: Following,
  contents: ReadonlyArray<LoggedContent>,
): ReadonlyArray<WantedPools> {
  const created = new Map<Address, DiscoveredPool>();
  const discovered = {
    get: (pool: Address) => created.get(pool) ?? mirror.discovered.get(pool),
  };
  const loaded = new Map<Address, ReadablePool>(mirror.pools);
  const moving = [...mirror.loaded.moving].map((pool): ReadablePool => mirror.pools.get(pool)!);
  return contents.map(({ header, logs, creations }) => {
    const again = new Set<ReadablePool>();
    for (const creation of creations) {
      const { listing } = creation;
      const { address } = listing;
      if (discovered.get(address) !== undefined) continue;
      created.set(address, { listing, createdBlock: header.number });
      if (!loadsAtOnce(address)) continue;
      const pool = { listing, dex: dexes.of(listing) };
      loaded.set(address, pool);
      if (creation.created === undefined) again.add(pool);
      if (pool.dex.eachBlock !== undefined) moving.push(pool);
    }
    for (const log of logs) {
      for (const { dex, listing } of dexes.subjectsOf(log, discovered)) {
        if (dex.readsAgain?.(log) !== true) continue;
        for (const pool of listing === undefined ? loaded.values() : [loaded.get(listing.address)])
          if (pool?.dex === dex) again.add(pool);
      }
    }
    return { again: [...again], moving: [...moving] };
  });
}

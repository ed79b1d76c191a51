import type { Address, FollowedState, Hex, TokenListing } from "@millrace/core";
import { Effect, Stream } from "effect";
import type { Admission, FollowedProtocol, Progress } from "../ChainOptions.ts";
import type { BlockReader } from "../reading/BlockReader.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { discoverRange } from "../reading/discoverRange.ts";
import { readStates } from "../reading/readStates.ts";
import { readTokens, type TokenProblem } from "../reading/readTokens.ts";
import type { Endpoint, Endpoints } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { BlockLogs } from "./BlockLogs.ts";
import type { Venues } from "./fetchBlocks.ts";
import { misnumbered, prefetch } from "./findBranch.ts";
import { type Header, headerByHash, newestHeader } from "./Header.ts";
import type { MarketContent } from "./Mirror.ts";

/** What reading a market goes by. */
export interface MarketReading {
  readonly endpoints: Endpoints;
  readonly venues: Venues;
  readonly protocols: ReadonlyArray<FollowedProtocol>;
  readonly blockLogs: BlockLogs;
  readonly multicall: Address;
  /** Blocks at the head that are not asked for by range. */
  readonly journalDepth: number;
  readonly admission: Admission;
  readonly onProgress: (progress: Progress) => void;
}

const CONCURRENT_BLOCKS = 4;

/**
 * What is known for good of a chain's pools, however the head moves: grows while it is being
 * found out, so that a failure loses nothing.
 */
export class Discovery {
  readonly pools = new Map<Address, DiscoveredPool>();
  /** All pools that were created up to this block are known. */
  toBlock: number;

  constructor(toBlock: number, pools: Iterable<DiscoveredPool> = []) {
    this.toBlock = toBlock;
    for (const pool of pools) this.pools.set(pool.listing.address, pool);
  }
}

/** The pools that exist at a head. */
export interface DiscoveredMarket {
  readonly header: Header;
  readonly discovered: ReadonlyMap<Address, DiscoveredPool>;
}

/**
 * Finds all pools up to the present head: in ranges as far as no reorganisation reaches, which go
 * into `discovery`, then block by block, by hash.
 */
export const discoverMarket = Effect.fnUntraced(function* (
  reading: MarketReading,
  discovery: Discovery,
): Effect.fn.Return<DiscoveredMarket, RpcError> {
  const { endpoints, journalDepth } = reading;
  for (;;) {
    const newest = yield* endpoints.withEndpoint(newestHeader);
    if (discovery.toBlock >= newest.number - journalDepth) {
      return yield* discoverTo(reading, discovery, newest);
    }
    yield* discoverSettled(reading, discovery, newest.number - journalDepth);
    // It may have taken long: what is the newest block now?
  }
});

/** As `discoverMarket`, up to this block. */
export const discoverTo = Effect.fnUntraced(function* (
  reading: MarketReading,
  discovery: Discovery,
  header: Header,
): Effect.fn.Return<DiscoveredMarket, RpcError> {
  const settled = header.number - reading.journalDepth;
  if (discovery.toBlock < settled) yield* discoverSettled(reading, discovery, settled);
  return yield* reading.endpoints.withEndpoint((endpoint) =>
    discoverRecent(endpoint, reading, discovery, header),
  );
});

/** Nothing is known yet. */
export function emptyDiscovery({ venues }: MarketReading): Discovery {
  return new Discovery(Math.min(...venues.dexes.map(({ startBlock }) => startBlock)) - 1);
}

const discoverSettled = (
  { endpoints, venues, protocols, onProgress }: MarketReading,
  discovery: Discovery,
  toBlock: number,
): Effect.Effect<void, RpcError> =>
  discoverRange({
    endpoints,
    dexes: venues.dexes,
    protocols,
    fromBlock: discovery.toBlock + 1,
    toBlock,
  }).pipe(
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        for (const pool of chunk.pools) discovery.pools.set(pool.listing.address, pool);
        discovery.toBlock = chunk.discoveredTo;
        onProgress({ step: "discovery", done: chunk.discoveredTo, total: toBlock });
      }),
    ),
  );

/** Pools of the blocks after those that are discovered, up to the header's, all on its branch. */
const discoverRecent = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { blockLogs, venues }: MarketReading,
  discovery: Discovery,
  header: Header,
): Effect.fn.Return<DiscoveredMarket, RpcError> {
  const discovered = new Map(discovery.pools);
  const fetched = yield* prefetch(endpoint, discovery.toBlock + 1, header.number - 1);
  const headers: Header[] = [];
  for (let hash: Hex = header.hash, number = header.number; number > discovery.toBlock; number--) {
    const next: Header =
      number === header.number
        ? header
        : (fetched.get(hash) ?? (yield* headerByHash(endpoint, hash)));
    if (next.number !== number) return yield* misnumbered(endpoint, next);
    headers.push(next);
    hash = next.parentHash;
  }
  headers.reverse();
  const logs = yield* Effect.forEach(headers, (block) => blockLogs(endpoint, block), {
    concurrency: CONCURRENT_BLOCKS,
  });
  headers.forEach(({ number }, place) => {
    for (const listing of venues.creations(logs[place]!)) {
      if (discovered.has(listing.address)) continue;
      discovered.set(listing.address, { listing, createdBlock: number });
    }
  });
  return { header, discovered };
});

/** Tokens and states of pools at the reader's block; pools whose tokens are unsound are left out. */
export const readPools = Effect.fnUntraced(function* (
  reader: BlockReader,
  { venues, onProgress }: Pick<MarketReading, "venues" | "onProgress">,
  pools: ReadonlyArray<DiscoveredPool>,
  known: ReadonlyMap<Address, TokenListing | TokenProblem>,
): Effect.fn.Return<PoolsRead, RpcError> {
  const wanted = new Set(pools.flatMap(({ listing }) => listing.tokens));
  const unknown = [...wanted].filter((token) => !known.has(token));
  const tokens = unknown.length === 0 ? [] : yield* readTokens(reader, unknown);
  const sound = new Map(known);
  for (const token of tokens) sound.set(token.address, token);
  const playable = pools.filter(({ listing }) =>
    listing.tokens.every((token) => !("problem" in sound.get(token)!)),
  );
  const states = yield* readStates(
    reader,
    playable.map(({ listing }) => ({ listing, chain: venues.chainOf(listing) })),
    onProgress,
  );
  const read: PoolsRead["states"][number][] = [];
  const senseless: Address[] = [];
  playable.forEach(({ listing }, place) => {
    const state: FollowedState | undefined = states[place];
    if (state === undefined) senseless.push(listing.address);
    else read.push({ pool: listing.address, state });
  });
  const isPlayable = new Set(playable);
  const unsound = pools
    .filter((pool) => !isPlayable.has(pool))
    .map(({ listing }) => listing.address);
  return { tokens, states: read, unsound, senseless };
});

export interface PoolsRead {
  readonly tokens: ReadonlyArray<TokenListing | TokenProblem>;
  readonly states: MarketContent["states"];
  /** Pools with a token that cannot be used. */
  readonly unsound: ReadonlyArray<Address>;
  /** Pools whose answers are no state. */
  readonly senseless: ReadonlyArray<Address>;
}

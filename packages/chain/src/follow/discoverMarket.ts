import type { Address } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { Effect, Stream } from "effect";
import { resolveCreations, sortCreations } from "../reading/creations.ts";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import { discoverRange } from "../reading/discoverRange.ts";
import type { Endpoint } from "../rpc/Endpoints.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { isCanonical } from "./Ancestry.ts";
import type { Discovery } from "./Discovery.ts";
import { type Header, headerByHash, headerByNumber, newestHeader } from "./Header.ts";
import { prefetch } from "./headersBack.ts";
import type { MarketReading } from "./MarketReading.ts";
import type { Refusals } from "./Refusals.ts";

const CONCURRENT_BLOCKS = 4;
/** Wait between attempts when the chain is reorganised again and again. */
const RETREAT_MS = 100;

/** The pools that exist at a block. */
export interface DiscoveredMarket {
  readonly header: Header;
  readonly discovered: ReadonlyMap<Address, DiscoveredPool>;
  readonly refusals: Refusals;
}

/**
 * Finds all pools up to a block near the present head: in ranges where reorganisations hardly
 * reach, which extend `discovery`; then block by block, by hash.
 */
export const discoverMarket = Effect.fnUntraced(function* (
  reading: MarketReading,
  discovery: Discovery,
): Effect.fn.Return<DiscoveredMarket, RpcError> {
  const { endpoints, journalDepth, lookBack } = reading;
  for (;;) {
    yield* retreatToCanonical(reading, discovery);
    const newest = yield* endpoints.withEndpoint(newestHeader);
    if (discovery.toBlock < newest.number - 2 * journalDepth) {
      yield* discoverSettled(reading, discovery, newest.number - journalDepth);
      // That may have taken long: asks for the newest block again.
      continue;
    }
    const header = discovery.isLongBefore(newest.number, journalDepth + lookBack)
      ? yield* endpoints.withEndpoint((endpoint) =>
          headerByNumber(endpoint, Math.max(newest.number - lookBack, discovery.toBlock)),
        )
      : newest;
    const market = yield* discoverTo(reading, discovery, header);
    if (market !== undefined) return market;
    yield* Effect.sleep(RETREAT_MS);
  }
});

/**
 * As `discoverMarket`, up to this block; undefined when it is on another branch than what was
 * discovered before.
 */
export const discoverTo = Effect.fnUntraced(function* (
  reading: MarketReading,
  discovery: Discovery,
  header: Header,
): Effect.fn.Return<DiscoveredMarket | undefined, RpcError> {
  const settled = header.number - reading.journalDepth;
  if (discovery.toBlock < settled) yield* discoverSettled(reading, discovery, settled);
  if (discovery.toBlock < settled) return undefined;
  return yield* reading.endpoints.withEndpoint((endpoint) =>
    discoverRecent(endpoint, reading, discovery, header),
  );
});

/** Forgets what was discovered in blocks that the chain no longer has. */
const retreatToCanonical = Effect.fnUntraced(function* (
  reading: MarketReading,
  discovery: Discovery,
): Effect.fn.Return<void, RpcError> {
  for (;;) {
    const newest = discovery.checkpoints.at(-1);
    if (newest === undefined || (yield* isCanonical(reading.endpoints.withEndpoint, newest)))
      return;
    discovery.retreat();
  }
});

/** Goes on in ranges. Ends early where they do not follow what was found before. */
const discoverSettled = (
  reading: MarketReading,
  discovery: Discovery,
  toBlock: number,
): Effect.Effect<void, RpcError> =>
  discoverRange({
    endpoints: reading.endpoints,
    dexes: reading.dexes.followed,
    fromBlock: discovery.toBlock + 1,
    toBlock,
  }).pipe(
    Stream.runForEachWhile(
      Effect.fnUntraced(function* ({ creations, discoveredTo, follows, skipped: malformed }) {
        // Blocks from here on are read again, as logs had been left out.
        while (discovery.toBlock > follows.number) discovery.retreat();
        const before = discovery.checkpoints.at(-1);
        // What was found before counts only if these blocks follow it.
        const isFollowed =
          before === undefined ||
          (before.number === follows.number
            ? before.hash === follows.hash
            : yield* isCanonical(reading.endpoints.withEndpoint, before));
        if (!isFollowed) {
          yield* Effect.sleep(RETREAT_MS);
          return false;
        }
        const reader = Effect.map(reading.endpoints.withEndpoint(newestHeader), ({ hash }) =>
          reading.readerAt(hash),
        );
        const settled = yield* resolveCreations(reader, creations);
        const skipped = malformed + settled.skipped;
        if (skipped > 0) {
          yield* Effect.logWarning("logs of factories that tell of no pool of theirs").pipe(
            Effect.annotateLogs({ logs: skipped, toBlock: discoveredTo.number }),
          );
        }
        discovery.extend(follows.number + 1, discoveredTo, settled);
        reading.onProgress({ step: "discovery", done: discoveredTo.number, total: toBlock });
        return true;
      }),
    ),
  );

/** Pools of the blocks after the discovered ones, up to the header's, all on its branch. */
const discoverRecent = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { blockLogs, dexes, readerAt }: MarketReading,
  discovery: Discovery,
  header: Header,
): Effect.fn.Return<DiscoveredMarket | undefined, RpcError> {
  const newest = discovery.checkpoints.at(-1);
  if (header.number < discovery.toBlock) return undefined;
  const fetched = yield* prefetch(endpoint, discovery.toBlock + 1, header.number - 1);
  const headers: Header[] = [];
  let hash: Hex = header.hash;
  for (let number = header.number; number > discovery.toBlock; number--) {
    const next: Header =
      number === header.number
        ? header
        : (fetched.get(hash) ?? (yield* headerByHash(endpoint, hash)));
    if (next.number !== number) return undefined;
    headers.push(next);
    hash = next.parentHash;
  }
  if (newest !== undefined && newest.hash !== hash) return undefined;
  headers.reverse();
  const logs = yield* Effect.forEach(headers, (block) => blockLogs(endpoint, block), {
    concurrency: CONCURRENT_BLOCKS,
  });
  const logged = headers.flatMap(({ number }, index) => dexes.creations(logs[index]!, number));
  const creations = yield* resolveCreations(
    Effect.sync(() => readerAt(header.hash)),
    sortCreations(logged),
  );
  const discovered = new Map(discovery.pools);
  for (const { listing, block } of creations.pools) {
    if (discovered.has(listing.address)) continue;
    discovered.set(listing.address, { listing, createdBlock: block });
  }
  const refusals = discovery.refusals.copyAt(discovery.toBlock);
  for (const refusal of creations.refused) refusals.add(refusal);
  return { header, discovered, refusals };
});

import type { Address } from "@millrace/core";
import { Effect, Option, Stream } from "effect";
import { confirmKnown } from "../history/confirmKnown.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { ChainSnapshot } from "../snapshot/ChainSnapshot.ts";
import type { SnapshotStore } from "../snapshot/SnapshotStore.ts";
import { Ancestry, isCanonical } from "./Ancestry.ts";
import { Discovery } from "./Discovery.ts";
import { type DiscoveredMarket, discoverMarket } from "./discoverMarket.ts";
import type { Following } from "./Following.ts";
import { type Header, headerByHash, newestHeader } from "./Header.ts";
import type { Past } from "./MarketContent.ts";
import { Refusals } from "./Refusals.ts";
import { readPools } from "./readPools.ts";

/** This many pools, the deepest, are loaded before the market is ready; the others follow. */
const FIRST_POOLS = 1_000;
/** Configured pools come before all others. */
const DEPTH_MAX = Number.MAX_VALUE;

/**
 * Fills the mirror with the whole market: from the newest snapshot that the chain still has and
 * that is recent enough to catch up from, or else by reading it near the present head. Discovery
 * goes on from what an earlier try had found.
 */
export const openMirror = Effect.fnUntraced(function* (
  following: Following,
  snapshots: SnapshotStore,
): Effect.fn.Return<void, RpcError> {
  const { mirror, reading, catchUpBlocks, condition } = following;
  const newest = yield* reading.endpoints.withEndpoint(newestHeader);
  const snapshot = yield* canonicalSnapshot(following, snapshots);
  const loadedBefore = new Set(mirror.pools.keys());
  if (snapshot !== undefined) {
    const { stamp, states } = snapshot;
    if (newest.number - stamp.number <= catchUpBlocks) {
      condition.discovery = undefined;
      return yield* restore(following, snapshot, newest);
    }
    for (const { pool } of states) loadedBefore.add(pool);
  }
  condition.discovery ??= knownPools(following, snapshot);
  const { discovery } = condition;
  yield* Effect.logInfo("reading the market").pipe(
    Effect.annotateLogs({ headNumber: newest.number, discoveredTo: discovery.toBlock }),
  );
  const market = yield* discoverMarket(reading, discovery);
  const past = yield* pastOf(following, market.header, discovery.checkpoints);
  yield* readAnew(following, market, loadedBefore, past);
  condition.discovery = undefined;
});

const canonicalSnapshot = (
  { reading }: Following,
  snapshots: SnapshotStore,
): Effect.Effect<ChainSnapshot | undefined, RpcError> =>
  snapshots.load.pipe(
    Stream.filterEffect(({ stamp }) =>
      isCanonical(reading.endpoints.withEndpoint, stamp).pipe(
        Effect.tap((isThere) =>
          isThere
            ? Effect.void
            : Effect.logWarning("a snapshot's block was reorganised away").pipe(
                Effect.annotateLogs({ blockNumber: stamp.number, blockHash: stamp.hash }),
              ),
        ),
      ),
    ),
    Stream.runHead,
    Effect.map(Option.getOrUndefined),
  );

/** Restores a snapshot; following brings it to the head. */
const restore = Effect.fnUntraced(function* (
  following: Following,
  snapshot: ChainSnapshot,
  newest: Header,
): Effect.fn.Return<void, RpcError> {
  const { mirror, reading, admissions, emit } = following;
  const { stamp } = snapshot;
  yield* Effect.logInfo("going on from a snapshot").pipe(
    Effect.annotateLogs({ blockNumber: stamp.number, pools: snapshot.states.length }),
  );
  const header = yield* reading.endpoints.withEndpoint((endpoint) =>
    headerByHash(endpoint, stamp.hash),
  );
  const past = yield* pastOf(following, header, [stamp]);
  const refusals = new Refusals(stamp.number, snapshot.refusals);
  emit(mirror.reset({ ...snapshot, header, refusals }, past));
  for (const address of mirror.discovered.keys()) {
    if (!mirror.pools.has(address)) admissions.touched(address);
  }
  // Token prices from the deep pools, before other pools are judged by them.
  yield* Effect.ignore(learnPrices(following, newest));
});

/** Which blocks of the chain that ends in a header the market's reader has. */
const pastOf = Effect.fnUntraced(function* (
  following: Following,
  header: Header,
  checkpoints: Past["checkpoints"],
): Effect.fn.Return<Past, RpcError> {
  const { mirror, reading } = following;
  const ancestry = new Ancestry(reading.endpoints.withEndpoint, header, reading.journalDepth);
  const blocks = mirror.published.blocks.filter(({ number }) => number <= header.number);
  const keptTo = blocks[(yield* ancestry.countShared(blocks)) - 1]?.number ?? -1;
  const known = yield* confirmKnown(following, ancestry, header);
  yield* ancestry.confirm;
  return { keptTo, checkpoints, known };
});

/** Takes token prices from the loaded pools, if depth decides about the others. */
export const learnPrices = ({ mirror, reading, depths }: Following, header: Header) => {
  if (reading.admission.depthFloorUsd === 0) return Effect.void;
  const loaded = [...mirror.pools.keys()].flatMap((pool) => mirror.discovered.get(pool) ?? []);
  return depths.learn(header, loaded);
};

/** The pools known already: from a snapshot, or from following before. */
function knownPools(
  { mirror, reading }: Following,
  snapshot: ChainSnapshot | undefined,
): Discovery {
  const { startBlock } = reading.dexes;
  const { checkpoints } = mirror.journal;
  const newest = checkpoints.at(-1);
  if (snapshot !== undefined && snapshot.stamp.number >= (newest?.number ?? 0)) {
    const { stamp, discovered } = snapshot;
    const refusals = new Refusals(stamp.number, snapshot.refusals);
    return new Discovery(startBlock, [stamp], discovered, refusals);
  }
  const settled = [...mirror.discovered.values()].filter(
    ({ createdBlock }) => newest !== undefined && createdBlock <= newest.number,
  );
  const refusals = mirror.refusals.copyAt(newest?.number ?? startBlock - 1);
  return new Discovery(startBlock, checkpoints, settled, refusals);
}

/** Reads the deepest pools at a head, and leaves the others to be read later. */
const readAnew = Effect.fnUntraced(function* (
  following: Following,
  { header, discovered, refusals }: DiscoveredMarket,
  loadedBefore: ReadonlySet<Address>,
  past: Past,
): Effect.fn.Return<void, RpcError> {
  const { mirror, admissions, reading } = following;
  const { depthFloorUsd, pools: listed } = reading.admission;
  const isListed = new Set(listed.map((address) => address.toLowerCase()));
  const depths =
    depthFloorUsd === 0
      ? new Map<Address, number>()
      : yield* following.depths.learn(header, [...discovered.values()]);
  const wanted = [...discovered.values()].filter(
    ({ listing: { address } }) =>
      !admissions.isBarred(address) &&
      (admissions.loadsAtOnce(address) ||
        loadedBefore.has(address) ||
        (depths.get(address) ?? 0) >= depthFloorUsd),
  );
  const depthOf = (address: Address) =>
    isListed.has(address) ? DEPTH_MAX : (depths.get(address) ?? 0);
  wanted.sort((left, right) => depthOf(right.listing.address) - depthOf(left.listing.address));
  const first = wanted.slice(0, FIRST_POOLS);
  const read = yield* readPools(reading.readerAt(header.hash), reading, first, new Map());
  following.emit(
    mirror.reset(
      {
        header,
        discovered: [...discovered.values()],
        refusals,
        tokens: read.tokens,
        states: read.states,
      },
      past,
    ),
  );
  for (const [pool, reason] of read.refused) admissions.refused(pool, reason);
  for (const pool of read.senseless) admissions.touched(pool);
  for (const { listing } of wanted.slice(FIRST_POOLS)) {
    admissions.admitted(listing.address, depthOf(listing.address));
  }
});

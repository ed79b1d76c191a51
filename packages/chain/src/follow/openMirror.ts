import type { Address } from "@millrace/core";
import { Effect, Option, Stream } from "effect";
import type { RpcError } from "../rpc/RpcError.ts";
import type { ChainSnapshot } from "../snapshot/ChainSnapshot.ts";
import type { SnapshotStore } from "../snapshot/SnapshotStore.ts";
import type { Following } from "./Following.ts";
import { type Header, headerByNumber, newestHeader } from "./Header.ts";
import {
  type DiscoveredMarket,
  Discovery,
  discoverMarket,
  emptyDiscovery,
  readPools,
} from "./readMarket.ts";

/** So many pools, the deepest, are in before the market is ready; the rest follows. */
const FIRST_POOLS = 1_000;

/**
 * Puts the whole market into the mirror: from the newest snapshot that the chain still has and that
 * is not too old to catch up from, or else read at the present head.
 */
export const openMirror = Effect.fnUntraced(function* (
  following: Following,
  snapshots: SnapshotStore,
): Effect.fn.Return<void, RpcError> {
  const { mirror, reading, catchUpBlocks } = following;
  const newest = yield* reading.endpoints.withEndpoint(newestHeader);
  const snapshot = yield* canonicalSnapshot(following, snapshots);
  const loadedBefore = new Set(mirror.pools.keys());
  if (snapshot !== undefined) {
    const { header, content } = snapshot;
    if (newest.number - header.number <= catchUpBlocks) {
      following.emit(mirror.reset({ header, ...content }));
      for (const address of mirror.discovered.keys()) {
        if (!mirror.pools.has(address)) following.admissions.touched(address);
      }
      return;
    }
    for (const { pool } of content.states) loadedBefore.add(pool);
  }
  const discovery = yield* settledDiscovery(following, snapshot);
  const market = yield* discoverMarket(reading, discovery);
  yield* readAnew(following, market, loadedBefore);
});

interface CanonicalSnapshot {
  readonly header: Header;
  readonly content: ChainSnapshot;
}

const canonicalSnapshot = Effect.fnUntraced(function* (
  following: Following,
  snapshots: SnapshotStore,
): Effect.fn.Return<CanonicalSnapshot | undefined, RpcError> {
  const found = yield* snapshots.load.pipe(
    Stream.mapEffect((content) =>
      Effect.map(canonicalHeader(following, content.stamp), (header) => ({ header, content })),
    ),
    Stream.tap(({ header, content: { stamp } }) =>
      header !== undefined
        ? Effect.void
        : Effect.logWarning("a snapshot's block was reorganised away").pipe(
            Effect.annotateLogs({ blockNumber: stamp.number, blockHash: stamp.hash }),
          ),
    ),
    Stream.filter((snapshot): snapshot is CanonicalSnapshot => snapshot.header !== undefined),
    Stream.runHead,
  );
  return Option.getOrUndefined(found);
});

/** What is known of pools and cannot have been taken back. */
const settledDiscovery = Effect.fnUntraced(function* (
  following: Following,
  snapshot: CanonicalSnapshot | undefined,
): Effect.fn.Return<Discovery, RpcError> {
  const { mirror, reading } = following;
  const empty = emptyDiscovery(reading);
  for (const checkpoint of [...mirror.journal.checkpoints].reverse()) {
    if (checkpoint.number <= (snapshot?.header.number ?? empty.toBlock)) break;
    if ((yield* canonicalHeader(following, checkpoint)) === undefined) continue;
    const kept = [...mirror.discovered.values()].filter(
      ({ createdBlock }) => createdBlock <= checkpoint.number,
    );
    return new Discovery(checkpoint.number, kept);
  }
  return snapshot === undefined
    ? empty
    : new Discovery(snapshot.header.number, snapshot.content.discovered);
});

/** The header of a block, if the chain has it (still) at its number. */
const canonicalHeader = (
  { reading }: Following,
  { number, hash }: Pick<Header, "number" | "hash">,
) =>
  reading.endpoints
    .withEndpoint((endpoint) => headerByNumber(endpoint, number))
    .pipe(
      Effect.map((header) => (header.hash === hash ? header : undefined)),
      // The chain is not so long.
      Effect.catchIf(
        ({ reason }) => reason === "Refused",
        () => Effect.succeed(undefined),
      ),
    );

/** Reads the deepest of a head's pools, and leaves the others to be read later. */
const readAnew = Effect.fnUntraced(function* (
  following: Following,
  { header, discovered }: DiscoveredMarket,
  loadedBefore: ReadonlySet<Address>,
): Effect.fn.Return<void, RpcError> {
  const { mirror, admissions, reading } = following;
  const { depthFloorUsd } = reading.admission;
  following.depths.forget();
  const depths =
    depthFloorUsd === 0
      ? new Map<Address, number>()
      : yield* following.depths.at(header, [...discovered.values()]);
  const wanted = [...discovered.values()].filter(
    ({ listing: { address } }) =>
      admissions.loadsAtOnce(address) ||
      loadedBefore.has(address) ||
      (depths.get(address) ?? 0) >= depthFloorUsd,
  );
  const depthOf = (address: Address) => depths.get(address) ?? 0;
  wanted.sort((left, right) => depthOf(right.listing.address) - depthOf(left.listing.address));
  const first = wanted.slice(0, FIRST_POOLS);
  const read = yield* reading.endpoints.withEndpoint((endpoint) =>
    readPools(
      { endpoint, blockHash: header.hash, multicall: reading.multicall },
      reading,
      first,
      new Map(),
    ),
  );
  following.emit(
    mirror.reset({
      header,
      discovered: [...discovered.values()],
      tokens: read.tokens,
      states: read.states,
    }),
  );
  for (const pool of read.unsound) admissions.refused(pool);
  for (const pool of read.senseless) admissions.touched(pool);
  for (const { listing } of wanted.slice(FIRST_POOLS)) {
    admissions.admitted(listing.address, depthOf(listing.address));
  }
});

import { Clock, Effect } from "effect";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { Following } from "./Following.ts";
import { noteDefect } from "./noteDefect.ts";
import { readPools } from "./readPools.ts";

/** Pools that are read together: little enough to be done within a block of a fast chain. */
const BATCH = 100;
/** Pools that are glanced at together. */
const GLANCES = 2_000;
const IDLE_MS = 250;
/** What could not be loaded may have been a node's fault: it is tried again this often. */
const RECONSIDER_MS = 600_000;

/**
 * Loads the pools that wait, for ever, while the head is followed beside it: glances at those that
 * nobody has looked at since something happened to them, and reads those that are deep enough.
 */
export const readWaiting = Effect.fnUntraced(function* (following: Following) {
  const { mirror, admissions, condition } = following;
  let reconsideredMs = yield* Clock.currentTimeMillis;
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis;
    if (nowMs - reconsideredMs >= RECONSIDER_MS) {
      reconsideredMs = nowMs;
      mirror.forgetProblems();
      admissions.reconsider();
    }
    const isIdle = admissions.waitingCount === 0 && admissions.unseenCount === 0;
    if (mirror.head === undefined || condition.obstacle !== undefined || isIdle) {
      yield* Effect.sleep(IDLE_MS);
      continue;
    }
    yield* glance(following).pipe(
      Effect.andThen(readBatch(following)),
      // Following the chain tells what is wrong with the nodes; here it is only tried again.
      Effect.catch(() => Effect.sleep(IDLE_MS)),
      Effect.catchDefect(noteDefect(condition, "loading pools")),
    );
    yield* Effect.sleep(1);
  }
});

const glance = Effect.fnUntraced(function* (
  following: Following,
): Effect.fn.Return<void, RpcError> {
  const { mirror, admissions, reading } = following;
  const unseen = admissions.takeUnseen(GLANCES);
  if (unseen.length === 0) return;
  const pools = unseen.flatMap((address) => mirror.discovered.get(address) ?? []);
  const depths = yield* following.depths.at(mirror.head!, pools).pipe(
    Effect.tapError(() =>
      Effect.sync(() => {
        for (const address of unseen)
          if (mirror.discovered.has(address)) admissions.touched(address);
      }),
    ),
  );
  for (const [address, depthUsd] of depths) {
    if (depthUsd < reading.admission.depthFloorUsd || !mirror.discovered.has(address)) continue;
    if (!mirror.pools.has(address)) admissions.admitted(address, depthUsd);
  }
});

const readBatch = Effect.fnUntraced(function* (
  following: Following,
): Effect.fn.Return<void, RpcError> {
  const { mirror, admissions, reading } = following;
  const { hash } = mirror.head!;
  const pools: DiscoveredPool[] = [];
  for (const address of admissions.next(BATCH)) {
    const pool = mirror.discovered.get(address);
    if (pool === undefined || mirror.pools.has(address)) admissions.settled(address);
    else pools.push(pool);
  }
  if (pools.length === 0) return;
  const known = new Map(mirror.tokens);
  const read = yield* reading.endpoints.withEndpoint((endpoint) =>
    readPools({ endpoint, blockHash: hash, multicall: reading.multicall }, reading, pools, known),
  );
  // Undefined when the block was taken back meanwhile: then they go on waiting.
  const block = mirror.load(hash, read.tokens, read.states);
  if (block === undefined) return;
  for (const pool of read.unsound) admissions.refused(pool);
  for (const pool of read.senseless) admissions.failed(pool);
  following.emit(block);
});

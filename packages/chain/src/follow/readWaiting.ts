import type { Address, TokenListing } from "@millrace/core";
import type { Hex } from "@millrace/protocols";
import { Clock, Effect } from "effect";
import type { DiscoveredPool } from "../reading/DiscoveredPool.ts";
import type { TokenProblem } from "../reading/readTokens.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { type Following, noteDefect } from "./Following.ts";
import type { MarketContent } from "./MarketContent.ts";
import type { HeadAnswers } from "./Mirror.ts";
import { learnPrices } from "./openMirror.ts";
import { readMoving } from "./readBlocks.ts";
import { readPools } from "./readPools.ts";

/** Pools read together; halved after a batch whose block was gone before the batch was done. */
const BATCH_MAX = 100;
/** Number of pools in one shallow read. */
const SHALLOW_READS = 2_000;
const IDLE_MS = 250;
/** A failure to load may have been a node's fault: such pools are tried again this often. */
const RECONSIDER_MS = 600_000;
/** Number of heads tried while answers at the head are read. */
const HEADS_MAX = 4;

/**
 * Loads the waiting pools, for ever, while the head is followed beside it: first a shallow read of
 * those that were touched since the last one, then a full read of those that are deep enough.
 */
export const readWaiting = Effect.fnUntraced(function* (following: Following) {
  const { mirror, admissions, condition } = following;
  let batch = BATCH_MAX;
  let reconsideredMs = yield* Clock.currentTimeMillis;
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis;
    if (nowMs - reconsideredMs >= RECONSIDER_MS) {
      reconsideredMs = nowMs;
      mirror.forgetProblems();
      admissions.reconsider();
      if (mirror.head !== undefined) yield* Effect.ignore(learnPrices(following, mirror.head));
    }
    const isIdle = admissions.waitingCount === 0 && admissions.unseenCount === 0;
    if (mirror.head === undefined || condition.obstacle !== undefined || isIdle) {
      yield* Effect.sleep(IDLE_MS);
      continue;
    }
    // Following the chain reports what is wrong with the nodes; here it is only tried again.
    const isLoaded = yield* shallowRead(following).pipe(
      Effect.andThen(readBatch(following, batch)),
      Effect.catch(() => Effect.as(Effect.sleep(IDLE_MS), false)),
      Effect.catchDefect((defect) =>
        Effect.as(noteDefect(condition, "loading pools")(defect), false),
      ),
    );
    batch = isLoaded ? Math.min(BATCH_MAX, 2 * batch) : Math.max(1, batch >> 1);
    yield* Effect.sleep(1);
  }
});

const shallowRead = Effect.fnUntraced(function* (
  following: Following,
): Effect.fn.Return<void, RpcError> {
  const { mirror, admissions, reading } = following;
  const unseen = admissions.takeUnseen(SHALLOW_READS);
  if (unseen.length === 0) return;
  const pools = unseen.flatMap((address) => mirror.discovered.get(address) ?? []);
  const depths = yield* following.depths.at(mirror.head!, pools).pipe(
    Effect.onError(() =>
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

/** False when the reading came too late. */
const readBatch = Effect.fnUntraced(function* (
  following: Following,
  count: number,
): Effect.fn.Return<boolean, RpcError> {
  const { mirror, admissions, reading } = following;
  const { hash } = mirror.head!;
  const pools: DiscoveredPool[] = [];
  for (const address of admissions.next(count)) {
    const pool = mirror.discovered.get(address);
    if (pool === undefined || mirror.pools.has(address)) admissions.settled(address);
    else pools.push(pool);
  }
  if (pools.length === 0) return true;
  const known = new Map<Address, TokenListing | TokenProblem>();
  for (const address of pools.flatMap(({ listing }) => listing.tokens)) {
    const token = mirror.tokens.get(address);
    if (token !== undefined) known.set(address, token);
  }
  const { resetCount } = mirror;
  const read = yield* readPools(reading.readerAt(hash), reading, pools, known);
  // Logs from before the market was read anew are not kept.
  if (mirror.resetCount !== resetCount) return false;
  const answers = yield* answersAtHead(following, hash, read.states);
  // Undefined when the block was reverted meanwhile: then the pools stay waiting.
  const block = mirror.load(hash, read, answers);
  if (block === undefined) return false;
  for (const pool of read.senseless) admissions.failed(pool);
  if (block.pools.length > 0) following.emit(block);
  return true;
});

/** Answers at the head of pools that change without logs and were read at an earlier block. */
const answersAtHead = Effect.fnUntraced(function* (
  { mirror, reading }: Following,
  readAt: Hex,
  states: MarketContent["states"],
): Effect.fn.Return<HeadAnswers | undefined, RpcError> {
  const moving = states.flatMap(({ pool }) => {
    const listing = mirror.discovered.get(pool)?.listing;
    const dex = listing && reading.dexes.of(listing);
    return dex?.eachBlock === undefined ? [] : [{ listing: listing!, dex }];
  });
  if (moving.length === 0) return undefined;
  for (let attempt = 0; attempt < HEADS_MAX; attempt++) {
    const head = mirror.head!;
    if (head.hash === readAt) return undefined;
    const byPool = yield* readMoving(reading, head, moving);
    if (mirror.head?.hash === head.hash) return { hash: head.hash, byPool };
  }
  return undefined;
});

import { Effect, Queue, Random } from "effect";
import { readStates } from "../reading/readStates.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { FollowedPool } from "./FollowedPool.ts";
import { type Following, noteDefect } from "./Following.ts";
import type { Header } from "./Header.ts";
import { isSameState } from "./isSameState.ts";

export const SECOND_LOOK_MS_MAX = 2_000;

/**
 * Compares some loaded pools with the chain after each block, for ever. A pool that differs from
 * the chain at a second look too (a token that changes balances by itself, a log that never came)
 * is left out and read anew.
 */
export const audit = Effect.fnUntraced(function* (
  following: Following,
  poolCount: number,
  advances: Queue.Dequeue<void>,
) {
  for (;;) {
    yield* Queue.take(advances);
    // What cannot be read now is checked another time.
    yield* auditOnce(following, poolCount).pipe(
      Effect.ignore,
      Effect.catchDefect(noteDefect(following.condition, "comparing pools")),
    );
  }
});

const auditOnce = Effect.fnUntraced(function* (
  following: Following,
  poolCount: number,
): Effect.fn.Return<void, RpcError> {
  const { mirror, condition, blockTimeMs } = following;
  const { head } = mirror;
  if (head === undefined || mirror.pools.size === 0 || poolCount === 0) return;
  const audited = yield* drawn([...mirror.pools.values()], poolCount);
  const suspects = yield* differing(following, head, audited);
  condition.auditedPools += audited.length;
  if (suspects.length === 0) return;
  // While a block is being made, a node may answer for the one before with some of the new state.
  yield* Effect.sleep(Math.min(blockTimeMs, SECOND_LOOK_MS_MAX));
  const drifted = yield* differing(following, head, suspects);
  // A block that was reverted meanwhile proves nothing.
  if (mirror.journal.indexOf(head.hash) === undefined) return;
  for (const { listing } of drifted) {
    const { address } = listing;
    if (mirror.pools.get(address)?.listing !== listing) continue;
    condition.driftedPools++;
    following.emit(mirror.unload(address));
    yield* Effect.logWarning("a pool is not as the chain has it: reading it anew").pipe(
      Effect.annotateLogs({ pool: address, blockNumber: head.number, blockHash: head.hash }),
    );
  }
});

/** The pools whose states differ from the chain's at the header's block. */
const differing = Effect.fnUntraced(function* (
  { reading }: Following,
  { hash }: Header,
  pools: ReadonlyArray<FollowedPool>,
) {
  const states = yield* readStates(reading.readerAt(hash), pools);
  return pools.filter(({ state }, index) => {
    const actual = states[index];
    return actual === undefined || "refused" in actual || !isSameState(actual, state);
  });
});

/** Up to `count` random pools, each once. */
export const drawn = Effect.fnUntraced(function* (
  pools: ReadonlyArray<FollowedPool>,
  count: number,
) {
  const indexes = new Set<number>();
  for (let draw = 0; draw < count; draw++) {
    indexes.add(yield* Random.nextIntBetween(0, pools.length - 1));
  }
  return [...indexes].map((index) => pools[index]!);
});

import { Effect, Queue, Random } from "effect";
import { readStates } from "../reading/readStates.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import type { Following } from "./Following.ts";
import { isSameState } from "./isSameState.ts";
import type { FollowedPool } from "./Mirror.ts";

/**
 * Compares some loaded pools with the chain after each block, for ever. A pool that is not as the
 * chain has it (a token that changes balances by itself, a log that never came) is left out at once
 * and read anew.
 */
export const audit = Effect.fnUntraced(function* (
  following: Following,
  poolCount: number,
  advances: Queue.Dequeue<void>,
) {
  for (;;) {
    yield* Queue.take(advances);
    // What cannot be read now is looked at another time.
    yield* Effect.ignore(auditOnce(following, poolCount));
  }
});

const auditOnce = Effect.fnUntraced(function* (
  following: Following,
  poolCount: number,
): Effect.fn.Return<void, RpcError> {
  const { mirror, reading, condition } = following;
  const { head } = mirror;
  if (head === undefined || mirror.pools.size === 0 || poolCount === 0) return;
  const audited = yield* drawn([...mirror.pools.values()], poolCount);
  const states = yield* reading.endpoints.withEndpoint((endpoint) =>
    readStates({ endpoint, blockHash: head.hash, multicall: reading.multicall }, audited),
  );
  condition.auditedPools += audited.length;
  for (const [place, { listing, state }] of audited.entries()) {
    const actual = states[place];
    if (actual !== undefined && isSameState(actual, state)) continue;
    const { address } = listing;
    // A block that was taken back meanwhile proves nothing.
    if (mirror.journal.placeOf(head.hash) === undefined) return;
    if (mirror.pools.get(address)?.listing !== listing) continue;
    condition.driftedPools++;
    following.emit(mirror.unload(address));
    yield* Effect.logWarning("a pool is not as the chain has it: reading it anew").pipe(
      Effect.annotateLogs({ pool: address, blockNumber: head.number, blockHash: head.hash }),
    );
  }
});

const drawn = Effect.fnUntraced(function* (pools: ReadonlyArray<FollowedPool>, count: number) {
  const places = new Set<number>();
  for (let draw = 0; draw < count; draw++) {
    places.add(yield* Random.nextIntBetween(0, pools.length - 1));
  }
  return [...places].map((place) => pools[place]!);
});

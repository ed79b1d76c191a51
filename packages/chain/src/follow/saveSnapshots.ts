import { Effect, Queue, Stream } from "effect";
import type { SnapshotStore } from "../snapshot/SnapshotStore.ts";
import { type Condition, noteDefect } from "./Following.ts";
import type { Mirror } from "./Mirror.ts";
/** For a source that keeps no snapshots. */
export const noSnapshots: SnapshotStore = { load: Stream.empty, save: () => Effect.void };

/**
 * Saves the mirror whenever enough blocks have passed; a failed save is tried that many blocks
 * later.
 */
export const saveSnapshots = Effect.fnUntraced(function* (options: {
  readonly snapshots: SnapshotStore;
  readonly mirror: Mirror;
  readonly condition: Condition;
  readonly chainId: number;
  readonly dexes: string;
  readonly everyBlocks: number;
  readonly advances: Queue.Dequeue<void>;
}) {
  const { snapshots, mirror, condition, chainId, dexes, everyBlocks, advances } = options;
  let triedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    yield* Queue.take(advances);
    const { head } = mirror;
    if (head === undefined || Math.abs(head.number - triedAt) < everyBlocks) continue;
    triedAt = head.number;
    const { number, hash, timestampMs } = head;
    yield* snapshots
      .save({
        chainId,
        dexes,
        stamp: { number, hash, timestampMs },
        refusals: mirror.refusals.counts,
        discovered: [...mirror.discovered.values()],
        tokens: [...mirror.tokens.values()].flatMap((token) => ("problem" in token ? [] : [token])),
        states: Array.from(mirror.pools, ([pool, { state }]) => ({ pool, state })),
      })
      .pipe(
        Effect.andThen(
          Effect.sync(() => {
            condition.savedBlock = number;
          }),
        ),
        Effect.catch(({ operation, name, detail }) =>
          Effect.logWarning("no snapshot was saved").pipe(
            Effect.annotateLogs({ operation, name, detail }),
          ),
        ),
        Effect.catchDefect(noteDefect(condition, "saving a snapshot")),
      );
  }
});

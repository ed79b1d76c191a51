import type { ChainSource } from "@millrace/chain";
import type { AppliedBlock } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { Clock, Effect, Queue, type Scope } from "effect";
import type { MarketStore } from "./MarketStore.ts";

/** How the saves of a market go. */
export interface SaveStatus {
  /** Bytes of the newest save of this process; undefined before there is one. */
  readonly bytes: number | undefined;
  readonly atMs: number | undefined;
  readonly failures: number;
}

interface SaveOptions {
  readonly store: MarketStore;
  readonly data: Pick<MarketData, "saveInSlices">;
  readonly published: ChainSource["published"];
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
  /** A save whenever so many blocks have passed. */
  readonly everyBlocks: number;
}

/** What the chain has emitted and the market has not applied yet is waited for, for so long. */
const LOOK_MS = 10;
const LOOKS_MAX = 500;

/**
 * Saves windows, trades and candles whenever enough blocks have passed, and once more when the scope
 * closes; what fails is logged, and tried at a later block. Gives the status.
 */
export const saveMarket = Effect.fnUntraced(function* ({
  store,
  data,
  published,
  onApplied,
  everyBlocks,
}: SaveOptions): Effect.fn.Return<() => SaveStatus, never, Scope.Scope> {
  // The first one is in the market before anybody follows it.
  let takenCount = 1;
  let status: SaveStatus = { bytes: undefined, atMs: undefined, failures: 0 };
  const save = Effect.gen(function* () {
    const { messageCount, ranges } = published();
    for (let looks = 0; takenCount < messageCount; looks++) {
      // Something is wrong with the market then, which others report.
      if (looks === LOOKS_MAX) return;
      yield* Effect.sleep(LOOK_MS);
    }
    // It may know more by now, and get that again: a block counts once.
    const bytes = yield* Effect.promise(() => data.saveInSlices());
    yield* store.save({ bytes, ranges });
    status = { ...status, bytes: bytes.length, atMs: yield* Clock.currentTimeMillis };
  }).pipe(
    Effect.tapCause((cause) => {
      status = { ...status, failures: status.failures + 1 };
      return Effect.logWarning("market data was not saved", cause);
    }),
    Effect.exit,
    Effect.asVoid,
  );
  const due = yield* Queue.sliding<void>(1);
  let triedAt: number | undefined;
  const unsubscribe = onApplied(({ stamp }) => {
    takenCount++;
    // What came before this process was saved by another.
    triedAt ??= stamp.number;
    if (Math.abs(stamp.number - triedAt) < everyBlocks) return;
    triedAt = stamp.number;
    Queue.offerUnsafe(due, undefined);
  });
  // Runs once the fiber below has ended.
  yield* Effect.addFinalizer(() => Effect.andThen(save, Effect.sync(unsubscribe)));
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Queue.take(due), Effect.uninterruptible(save))),
  );
  return () => status;
});

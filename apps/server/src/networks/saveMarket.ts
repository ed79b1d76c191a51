import type { ChainSource } from "@millrace/chain";
import type { AppliedBlock } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { Clock, Effect, Queue, type Scope } from "effect";
import type { MarketStore } from "./MarketStore.ts";

/** The status of a market's saves. */
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
  /** Blocks between two saves. */
  readonly everyBlocks: number;
}

/** How long to wait until the market has applied all that the chain has emitted. */
const LOOK_MS = 10;
const LOOKS_MAX = 500;

/**
 * Saves windows, trades and candles whenever enough blocks have passed, and once more when the
 * scope closes; a failed save is logged, and tried again at a later block. Gives the status.
 */
export const saveMarket = Effect.fnUntraced(function* ({
  store,
  data,
  published,
  onApplied,
  everyBlocks,
}: SaveOptions): Effect.fn.Return<() => SaveStatus, never, Scope.Scope> {
  // The market has the first block before anybody follows it.
  let takenCount = 1;
  let status: SaveStatus = { bytes: undefined, atMs: undefined, failures: 0 };
  const save = Effect.gen(function* () {
    const { messageCount, ranges } = published();
    for (let looks = 0; takenCount < messageCount; looks++) {
      // Then something is wrong with the market, which is reported elsewhere.
      if (looks === LOOKS_MAX) return;
      yield* Effect.sleep(LOOK_MS);
    }
    // `data` may have newer blocks by now, and get them again: a block counts once.
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
    // Earlier blocks were saved by an earlier process.
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

import type { ChainSource } from "@millrace/chain";
import type { AppliedBlock, HistoryStatus } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { Effect, type Scope } from "effect";

interface HistoryTakenOptions {
  readonly source: Pick<ChainSource, "published" | "history">;
  readonly data: Pick<MarketData, "hasAllTrades">;
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
}

/** Before the market has applied all that was published. */
export const NO_HISTORY: HistoryStatus = { sinceMs: undefined, isComplete: false };

/**
 * How far the past is in the market's windows, trades and candles. What the source says is of the
 * messages that it has published; it holds for the market once all of them are applied, and until
 * then what held before. To be made before the second block is applied, after `data`.
 */
export const followHistory = Effect.fnUntraced(function* ({
  source,
  data,
  onApplied,
}: HistoryTakenOptions): Effect.fn.Return<() => HistoryStatus, never, Scope.Scope> {
  // The first one is in the market before anybody follows it.
  let takenCount = 1;
  let status = NO_HISTORY;
  const look = () => {
    if (takenCount >= source.published().messageCount && data.hasAllTrades())
      status = source.history();
    return status;
  };
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      onApplied(() => {
        takenCount++;
        look();
      }),
    ),
    (unsubscribe) => Effect.sync(unsubscribe),
  );
  return look;
});

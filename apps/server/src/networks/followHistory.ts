import type { ChainSource } from "@millrace/chain";
import type { AppliedBlock, HistoryStatus } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import { Effect, type Scope } from "effect";

interface HistoryTakenOptions {
  readonly source: Pick<ChainSource, "published" | "history">;
  readonly data: Pick<MarketData, "hasAllTrades">;
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
}

/** The status before the market has applied all that was published. */
export const NO_HISTORY: HistoryStatus = { sinceMs: undefined, isComplete: false };

/**
 * How much of the past the market's windows, trades and candles have. The source's status is about
 * the messages that it has published: it holds for the market once all of them are applied; until
 * then the former status does. To be called before the second block is applied, after `data` is
 * made.
 */
export const followHistory = Effect.fnUntraced(function* ({
  source,
  data,
  onApplied,
}: HistoryTakenOptions): Effect.fn.Return<() => HistoryStatus, never, Scope.Scope> {
  // The market has the first block before anybody follows it.
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

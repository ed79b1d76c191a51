import type { AppliedBlock } from "@millrace/core";
import type { MarketData, MarketDataOptions } from "@millrace/market";
import { Effect, type Scope } from "effect";
import type { NetworkFeed } from "./openNetworkFeed.ts";

interface AttachOptions {
  readonly feed: NetworkFeed;
  readonly data: Pick<MarketData, "saveInSlices">;
  readonly onPart: (listener: (part: AppliedBlock) => void) => () => void;
}

/** What was told and the market has not applied yet is waited for, for so long. */
const LOOK_MS = 10;
const LOOKS_MAX = 500;

/**
 * Windows, trades and candles go along with the snapshots of a feed: who begins with one has them.
 * To be called before the second block is applied.
 */
export const attachData = Effect.fnUntraced(function* ({
  feed,
  data,
  onPart,
}: AttachOptions): Effect.fn.Return<void, never, Scope.Scope> {
  // The first one is in the market before anybody follows it.
  let takenCount = 1;
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      onPart(() => {
        takenCount++;
      }),
    ),
    (unsubscribe) => Effect.sync(unsubscribe),
  );
  feed.attach(
    Effect.gen(function* () {
      const emittedCount = feed.emittedCount();
      for (let looks = 0; takenCount < emittedCount && looks < LOOKS_MAX; looks++) {
        yield* Effect.sleep(LOOK_MS);
      }
      return yield* Effect.promise(() => data.saveInSlices());
    }),
  );
});

/** What the snapshot had along that the market began with, as far as it counts. */
export function attachedTo(feed: NetworkFeed): Pick<MarketDataOptions, "saved" | "savedTo"> {
  const attachment = feed.takeAttachment();
  return attachment === undefined ? {} : { saved: attachment.bytes, savedTo: attachment.savedTo };
}

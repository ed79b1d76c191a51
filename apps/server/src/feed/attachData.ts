import type { AppliedBlock } from "@millrace/core";
import type { MarketData, MarketDataOptions } from "@millrace/market";
import { Effect, type Scope } from "effect";
import type { NetworkFeed } from "./openNetworkFeed.ts";

interface AttachOptions {
  readonly feed: NetworkFeed;
  readonly data: Pick<MarketData, "saveInSlices">;
  readonly onPart: (listener: (part: AppliedBlock) => void) => () => void;
}

/** How long to wait until the market has applied all that the feed emitted. */
const LOOK_MS = 10;
const LOOKS_MAX = 500;

/**
 * Adds windows, trades and candles to the snapshots of a feed, for servers that begin with one. To
 * be called before the second block is applied.
 */
export const attachData = Effect.fnUntraced(function* ({
  feed,
  data,
  onPart,
}: AttachOptions): Effect.fn.Return<void, never, Scope.Scope> {
  // The market has the first block before anybody follows it.
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

/**
 * The data attached to the snapshot that the market began with, up to the block where it is valid.
 */
export function attachedTo(feed: NetworkFeed): Pick<MarketDataOptions, "saved" | "savedTo"> {
  const attachment = feed.takeAttachment();
  return attachment === undefined ? {} : { saved: attachment.bytes, savedTo: attachment.savedTo };
}

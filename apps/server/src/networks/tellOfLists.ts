import type { MarketData } from "@millrace/market";
import { Effect } from "effect";

/** Lists change hourly, and a market gets new tokens at any time. */
const EVERY_MS = 60_000;
/** Tokens that the log shows. */
const SHOWN = 5;

/**
 * Tells the log which listed tokens have other decimals on the chain, whenever these are others than
 * were told of before; until the scope closes.
 */
export const tellOfLists = Effect.fnUntraced(function* (
  data: Pick<MarketData, "listDisagreements">,
  everyMs = EVERY_MS,
) {
  let told = "";
  const round = Effect.gen(function* () {
    const found = data.listDisagreements();
    const text = JSON.stringify(found);
    if (text !== told && found.length > 0) {
      yield* Effect.annotateLogs(
        Effect.logWarning("listed tokens are left aside, since the chain has other decimals"),
        { count: found.length, found: found.slice(0, SHOWN) },
      );
    }
    told = text;
    yield* Effect.sleep(everyMs);
  });
  yield* Effect.forkScoped(Effect.forever(round));
});

import type { MarketData } from "@millrace/market";
import { Effect } from "effect";
import type { Lists } from "../lists/openLists.ts";

/** Lists change hourly, and a market gets new tokens at any time. */
const EVERY_MS = 60_000;
/** Tokens that the log shows. */
const SHOWN = 5;

/**
 * Logs where token lists contradict one another, and which listed tokens have other decimals on the
 * chain, whenever these change; until the scope closes.
 */
export const logListProblems = Effect.fnUntraced(function* (
  { contradictions }: Pick<Lists, "contradictions">,
  { listDisagreements }: Pick<MarketData, "listDisagreements">,
  everyMs = EVERY_MS,
) {
  const logContradictions = logChanges("token lists give a token different decimals");
  const logDisagreements = logChanges("listed tokens have other decimals on the chain");
  const round = Effect.gen(function* () {
    yield* logContradictions(contradictions());
    yield* logDisagreements(listDisagreements());
    yield* Effect.sleep(everyMs);
  });
  yield* Effect.forkScoped(Effect.forever(round));
});

/** Logs how many were found, and some of them, unless they are the same as in the last call. */
function logChanges(words: string): (found: ReadonlyArray<object>) => Effect.Effect<void> {
  let logged = "[]";
  return (found) => {
    const text = JSON.stringify(found);
    const isLogged = text === logged;
    logged = text;
    if (isLogged || found.length === 0) return Effect.void;
    const shown = found.slice(0, SHOWN);
    return Effect.annotateLogs(Effect.logWarning(words), { count: found.length, found: shown });
  };
}

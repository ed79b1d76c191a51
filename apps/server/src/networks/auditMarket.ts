import type { MarketData } from "@millrace/market";
import { Effect } from "effect";

/** What audits of a market have found. */
export interface AuditStatus {
  readonly auditedPrices: number;
  readonly wrongPrices: number;
  readonly auditedWindows: number;
  readonly wrongWindows: number;
}

/** Each takes milliseconds, of which the event loop has few to spare. */
const EVERY_MS = 5_000;
const AUDITED = 4;
/** Disagreements that the log shows of one audit. */
const SHOWN = 3;

/**
 * Computes some prices and windows again and again in a slow way, and compares: differences are
 * counted, and logged. Gives the counts.
 */
export const auditMarket = Effect.fnUntraced(function* (
  data: Pick<MarketData, "auditPrices" | "auditWindows">,
  everyMs = EVERY_MS,
) {
  let status: AuditStatus = {
    auditedPrices: 0,
    wrongPrices: 0,
    auditedWindows: 0,
    wrongWindows: 0,
  };
  const round = Effect.gen(function* () {
    yield* Effect.sleep(everyMs);
    const prices = data.auditPrices(AUDITED);
    status = {
      ...status,
      auditedPrices: status.auditedPrices + AUDITED,
      wrongPrices: status.wrongPrices + prices.length,
    };
    yield* logFound("prices are not what they should be", prices);
    yield* Effect.yieldNow;
    const windows = data.auditWindows(AUDITED);
    status = {
      ...status,
      auditedWindows: status.auditedWindows + AUDITED,
      wrongWindows: status.wrongWindows + windows.length,
    };
    yield* logFound("windows are not what they should be", windows);
  });
  yield* Effect.forkScoped(Effect.forever(round));
  return () => status;
});

const logFound = (words: string, found: ReadonlyArray<object>): Effect.Effect<void> =>
  found.length === 0
    ? Effect.void
    : Effect.annotateLogs(Effect.logError(words), {
        count: found.length,
        found: found.slice(0, SHOWN),
      });

import type { Address, TokenIndex } from "@millrace/core";
import type { HistoryStore } from "@millrace/history";
import type { MarketData } from "@millrace/market";
import { Clock, Effect, type Scope } from "effect";

/** How a price has changed since so many days ago, as a fraction; absent while it is unknown. */
export interface LongPriceChanges {
  readonly priceChange7d?: number;
  readonly priceChange30d?: number;
}

interface PricesThen {
  readonly days7: number | undefined;
  readonly days30: number | undefined;
}

const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3_600;
/** A price that nobody paid for a week says nothing of today. */
const STALE_MS = 7 * DAY_MS;
/** Prices of days ago change slowly: they are read anew so often. */
const EVERY = "5 minutes";
/** The most liquid tokens. */
const TOKENS_MAX = 5_000;

/** What tokens cost days ago, read from a history in the background. */
export class LongChanges {
  readonly #prices = new Map<Address, PricesThen>();

  /** Reads prices for ever, until the scope closes. */
  static readonly open = Effect.fnUntraced(function* (
    store: Pick<HistoryStore, "candles">,
    data: Pick<MarketData, "routableTokens">,
    addressOf: (token: TokenIndex) => Address,
  ): Effect.fn.Return<LongChanges, never, Scope.Scope> {
    const changes = new LongChanges();
    const readAll = Effect.gen(function* () {
      for (const token of data.routableTokens().slice(0, TOKENS_MAX)) {
        yield* changes.#read(store, addressOf(token));
      }
      yield* Effect.sleep(EVERY);
    });
    yield* Effect.forkScoped(Effect.forever(readAll));
    return changes;
  });

  /** Of a token that costs so many dollars now. */
  of(token: Address, priceUsd: number): LongPriceChanges {
    const then = this.#prices.get(token);
    if (then === undefined || priceUsd === 0) return {};
    const { days7, days30 } = then;
    return {
      ...(days7 !== undefined && { priceChange7d: priceUsd / days7 - 1 }),
      ...(days30 !== undefined && { priceChange30d: priceUsd / days30 - 1 }),
    };
  }

  readonly #read = Effect.fnUntraced(
    { self: this },
    function* (store: Pick<HistoryStore, "candles">, token: Address) {
      const nowMs = yield* Clock.currentTimeMillis;
      const priceAt = Effect.fnUntraced(function* (timeMs: number) {
        const [candle] = yield* store.candles({
          of: { kind: "token", token },
          seconds: HOUR_SECONDS,
          fromMs: timeMs - STALE_MS,
          toMs: timeMs - 1_000 * HOUR_SECONDS,
          limit: 1,
        });
        return candle?.close;
      });
      const prices = Effect.all({
        days7: priceAt(nowMs - 7 * DAY_MS),
        days30: priceAt(nowMs - 30 * DAY_MS),
      });
      // What cannot be read now is as it was.
      const read = yield* Effect.option(prices);
      if (read._tag === "Some") this.#prices.set(token, read.value);
    },
  );
}

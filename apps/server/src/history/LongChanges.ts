import type { Address, TokenIndex } from "@millrace/core";
import type { HistoryStore } from "@millrace/history";
import type { MarketData } from "@millrace/market";
import { Clock, Effect, type Scope } from "effect";

/** The change of a price since so many days ago, as a fraction; absent while unknown. */
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
/** A price without a trade for a week counts as unknown. */
const STALE_MS = 7 * DAY_MS;
/** Prices of days ago change slowly, so they are read only this often. */
const EVERY = "5 minutes";
/** Only the most liquid tokens have changes. */
const TOKENS_MAX = 5_000;

/** Token prices of days ago, read from a history in the background. */
export class LongChanges {
  readonly #prices = new Map<Address, PricesThen>();

  /** Reads prices again and again, until the scope closes. */
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

  /** The changes of a token that costs `priceUsd` dollars now. */
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
      // After a failed read the former prices stay.
      const read = yield* Effect.option(prices);
      if (read._tag === "Some") this.#prices.set(token, read.value);
    },
  );
}

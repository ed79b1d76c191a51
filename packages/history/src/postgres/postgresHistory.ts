import { Cause, Effect, Redacted, type Scope, Semaphore } from "effect";
import { make as makeReactivity, Reactivity } from "effect/reactivity/Reactivity";
import { isSqlError, type SqlError } from "effect/sql/SqlError";
import { HistoryError, type HistoryStore } from "../HistoryStore.ts";
import { checkDays } from "./checkDays.ts";
import { selectRanges } from "./coveredRows.ts";
import { type Database, failureIn } from "./Database.ts";
import { migrate } from "./migrate.ts";
import {
  selectBlocks,
  selectCandles,
  selectSize,
  selectStateRange,
  selectStates,
  selectTrades,
} from "./selectRows.ts";
import { writeChanges } from "./writeChanges.ts";

export interface PostgresHistoryOptions {
  /** `postgres://user:password@host:port/database`, as for libpq; errors do not show it. */
  readonly url: string | Redacted.Redacted<string>;
  readonly chainId: number;
  /** Schema of the tables, created where missing; default: `millrace`. */
  readonly schema?: string | undefined;
}

/** One connection for writing, the others for reading. */
const CONNECTIONS_MAX = 4;
/** A state is one value. */
const MESSAGE_BYTES_MAX = 2 ** 30 - 1;
const WRITE_TIMEOUT = "2 minutes";

/**
 * A store in PostgreSQL 14 or later, for several readers. Of several writers, one at a time writes
 * a chain; the others wait. Several chains can share a schema. Connections end with the scope, and
 * are restored by themselves. It needs the optional package `@effect/sql-pg`.
 */
export const postgresHistory = Effect.fnUntraced(function* ({
  url,
  chainId,
  schema = "millrace",
}: PostgresHistoryOptions): Effect.fn.Return<HistoryStore, HistoryError, Scope.Scope> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    return yield* invalid(`the schema '${schema}' is not in lower case letters, digits and _`);
  }
  const { PgClient, PgTypes } = yield* Effect.tryPromise({
    try: () => import("@effect/sql-pg"),
    catch: () => invalid("a history in PostgreSQL needs the package @effect/sql-pg"),
  });
  const sql = yield* PgClient.make({
    url: Redacted.isRedacted(url) ? url : Redacted.make(url),
    applicationName: "millrace",
    keepAlive: "15 seconds",
    maxConnections: CONNECTIONS_MAX,
    maxMessageSize: MESSAGE_BYTES_MAX,
  }).pipe(Effect.provideServiceEffect(Reactivity, makeReactivity), named);
  const database: Database = { sql, types: PgTypes, chainId, schema };
  yield* named(migrate(database));
  const oneWrite = yield* Semaphore.make(1);
  const writing = (effect: Effect.Effect<void, HistoryError | SqlError>) =>
    oneWrite.withPermits(1)(
      Effect.timeoutOrElse(named(effect), { duration: WRITE_TIMEOUT, orElse: () => tooSlow }),
    );
  return {
    write: (changes) => writing(writeChanges(database, changes)),
    trades: (query) => named(selectTrades(database, query)),
    candles: (query) => named(selectCandles(database, query)),
    blocks: (query) => named(selectBlocks(database, query)),
    states: (query) => named(selectStates(database, query)),
    stateRange: named(selectStateRange(database)),
    coverage: named(selectRanges(database)),
    check: named(checkDays(database, oneWrite.withPermits(1))),
    size: named(selectSize(database)),
    copyTo: () => invalid("a history in PostgreSQL is copied with pg_dump, or as its server is"),
  };
});

/**
 * A transaction that cannot be rolled back, as its connection is lost, dies; its cause has the
 * error.
 */
const named = <A, R>(
  effect: Effect.Effect<A, HistoryError | SqlError, R>,
): Effect.Effect<A, HistoryError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, HistoryError> => {
    const errors = cause.reasons.map((reason) =>
      Cause.isFailReason(reason)
        ? reason.error
        : Cause.isDieReason(reason)
          ? reason.defect
          : reason,
    );
    const own = errors.find((error) => error instanceof HistoryError);
    if (own !== undefined) return Effect.fail(own);
    const found = errors.find(isSqlError);
    if (found !== undefined) return Effect.fail(failureIn(found));
    return Effect.failCause(cause as Cause.Cause<never>);
  });

const invalid = (detail: string): HistoryError => new HistoryError({ reason: "Invalid", detail });

const tooSlow = Effect.fail(
  new HistoryError({ reason: "Unavailable", detail: `PostgreSQL: no answer in ${WRITE_TIMEOUT}` }),
);

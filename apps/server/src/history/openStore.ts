import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import {
  embeddedHistory,
  HistoryError,
  type HistoryStore,
  postgresHistory,
} from "@millrace/history";
import { Effect, Latch, type Scope } from "effect";

/** Where a network's history is kept. */
export type StorePlace = { readonly chainId: number } & (
  | {
      readonly kind: "file";
      readonly path: string;
      /** A file that exists belongs to a chain that is gone, and is removed. */
      readonly isNew: boolean;
    }
  | { readonly kind: "database"; readonly url: string }
);

export interface OpenStore {
  readonly store: HistoryStore;
  /**
   * To be run when the kept data is of another chain with the same id. A file is put aside, under
   * its name with `.left-aside`, and a new one begun; in a database nothing is kept from then on.
   */
  readonly beginAnew: Effect.Effect<void>;
}

/** How long a start waits for a store; then it goes on, and the store is opened later. */
const PATIENCE = "10 seconds";
const AGAIN = "5 seconds";

/**
 * A store that is tried again until it opens; until then its operations fail with the reason. A
 * file that is too damaged to open is put aside, under its name with `.damaged`, and a new one
 * begun. `last` runs before the store closes.
 */
export const openStore = Effect.fnUntraced(function* (
  place: StorePlace,
  last: Effect.Effect<void, HistoryError>,
): Effect.fn.Return<OpenStore, never, Scope.Scope> {
  let current: Effect.Effect<HistoryStore, HistoryError> = Effect.fail(
    new HistoryError({ reason: "Unavailable", detail: "it is being opened" }),
  );
  const tried = yield* Latch.make(false);
  if (place.kind === "file" && place.isNew) {
    yield* Effect.promise(() => removeFile(place.path));
  }
  const isForeign = yield* Latch.make(false);
  const session = Effect.scoped(
    Effect.gen(function* () {
      const store = yield* place.kind === "file" ? embeddedHistory(place) : postgresHistory(place);
      current = Effect.succeed(store);
      yield* Effect.addFinalizer(() => Effect.ignore(last));
      yield* tried.open;
      yield* isForeign.await;
    }),
  ).pipe(
    Effect.andThen(place.kind === "file" ? putAside(place.path, "left-aside") : ofAnotherChain),
    Effect.andThen(isForeign.close),
  );
  yield* session.pipe(
    Effect.catch(
      Effect.fnUntraced(function* (error) {
        current = Effect.fail(error);
        const { reason, detail } = error;
        yield* Effect.annotateLogs(Effect.logWarning("the history cannot be opened"), {
          reason,
          detail,
          ...(place.kind === "file" && { path: place.path }),
        });
        const isLost = place.kind === "file" && reason === "Damaged";
        if (isLost) yield* putAside(place.path, "damaged");
        yield* tried.open;
        yield* isLost ? Effect.void : reason === "Foreign" ? Effect.never : Effect.sleep(AGAIN);
      }),
    ),
    Effect.forever,
    Effect.forkScoped,
  );
  const soon = Effect.ignore(Effect.timeout(tried.await, PATIENCE));
  yield* soon;
  const use = <A>(ask: (store: HistoryStore) => Effect.Effect<A, HistoryError>) =>
    Effect.suspend(() => Effect.flatMap(current, ask));
  const store: HistoryStore = {
    write: (changes) => use((store) => store.write(changes)),
    trades: (query) => use((store) => store.trades(query)),
    candles: (query) => use((store) => store.candles(query)),
    blocks: (query) => use((store) => store.blocks(query)),
    states: (query) => use((store) => store.states(query)),
    stateRange: use((store) => store.stateRange),
    copyTo: (path) => use((store) => store.copyTo(path)),
    coverage: use((store) => store.coverage),
    check: use((store) => store.check),
    size: use((store) => store.size),
  };
  const beginAnew = tried.close.pipe(Effect.andThen(isForeign.open), Effect.andThen(soon));
  return { store, beginAnew };
});

const ofAnotherChain = Effect.fail(
  new HistoryError({
    reason: "Foreign",
    detail: "the database has the history of another chain with the same id",
  }),
);

const FILES = ["", "-wal", "-shm"];

async function removeFile(path: string): Promise<void> {
  for (const suffix of FILES) await rm(`${path}${suffix}`, { force: true });
}

/** Renames the file; never overwrites one that was put aside before. */
const putAside = (path: string, why: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    let aside = `${path}.${why}`;
    for (let count = 2; existsSync(aside); count++) aside = `${path}.${why}-${count}`;
    for (const suffix of FILES) {
      await rename(`${path}${suffix}`, `${aside}${suffix}`).catch(() => undefined);
    }
  });

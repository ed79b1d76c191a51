import { Deferred, Effect, Result, type Scope } from "effect";
import type { readLocation } from "./readLocation.ts";

/** A file or URL that is read again and again. */
export interface ListSource {
  /** As the log names it: a URL may hold a key. */
  readonly name: string;
  readonly location: string;
  /** Takes in what was read; where none of it can be used, nothing changes. */
  readonly take: (json: unknown) => Taken;
}

interface Taken {
  readonly entryCount: number;
  /** Why entries, or all of it, were left out. */
  readonly problems: ReadonlyArray<string>;
}

export interface ReadingPace {
  readonly refreshMs: number;
  readonly retryMs: number;
}

const HOURLY: ReadingPace = { refreshMs: 3_600_000, retryMs: 60_000 };
/** The largest lists in use have two megabytes; parsing one takes some 50 ms. */
const BYTES_MAX = 8 * 1_048_576;
const TIMEOUT_MS = 10_000;
const PROBLEMS_SHOWN = 5;

/**
 * Reads each source at once and then periodically, sooner after a failure, until the scope closes.
 * Gives an effect that ends with the first readings, after seconds at most. Problems are logged
 * when they change.
 */
export const keepReading = Effect.fnUntraced(function* (
  sources: ReadonlyArray<ListSource>,
  read: typeof readLocation,
  { refreshMs, retryMs }: ReadingPace = HOURLY,
): Effect.fn.Return<Effect.Effect<void>, never, Scope.Scope> {
  const follow = Effect.fnUntraced(function* (source: ListSource, first: Deferred.Deferred<void>) {
    let logged: string | undefined;
    for (;;) {
      const { isRead, problem } = yield* readOnce(source, read);
      if (problem !== logged) {
        yield* logReading(source.name, isRead, problem);
        logged = problem;
      }
      yield* Deferred.succeed(first, undefined);
      yield* Effect.sleep(isRead ? refreshMs : retryMs);
    }
  });
  const firsts = yield* Effect.forEach(
    sources,
    Effect.fnUntraced(function* (source) {
      const first = yield* Deferred.make<void>();
      yield* Effect.forkScoped(follow(source, first));
      return Deferred.await(first);
    }),
  );
  return Effect.all(firsts, { discard: true });
});

interface Outcome {
  readonly isRead: boolean;
  readonly problem: string | undefined;
}

const readOnce = (
  { location, take }: ListSource,
  read: typeof readLocation,
): Effect.Effect<Outcome> =>
  read(location, { bytesMax: BYTES_MAX, timeoutMs: TIMEOUT_MS }).pipe(
    Effect.result,
    Effect.map((found): Outcome => {
      if (Result.isFailure(found)) return { isRead: false, problem: found.failure.detail };
      const { entryCount, problems } = take(found.success);
      if (problems.length === 0) return { isRead: true, problem: undefined };
      const more = problems.length - PROBLEMS_SHOWN;
      const shown = problems.slice(0, PROBLEMS_SHOWN).join("; ");
      return {
        isRead: entryCount > 0,
        problem: more > 0 ? `${shown}; and ${more} more` : shown,
      };
    }),
  );

function logReading(
  list: string,
  isRead: boolean,
  problem: string | undefined,
): Effect.Effect<void> {
  if (problem === undefined) return Effect.annotateLogs(Effect.logInfo("a list is read"), { list });
  const words = isRead ? "a list is read, but for some entries" : "a list cannot be read";
  return Effect.annotateLogs(Effect.logWarning(words), { list, detail: problem });
}

import { Effect, type Scope, Semaphore } from "effect";
import { unpackCandles } from "../candles/candleColumns.ts";
import {
  type CandlesQuery,
  type HistoryChange,
  HistoryError,
  type HistoryStore,
} from "../HistoryStore.ts";
import { failureOf } from "./failureOf.ts";
import { copyFile, HistoryThread } from "./HistoryThread.ts";
import type { HistoryTask, ReadName } from "./messages.ts";
import { chainOfFile } from "./schema.ts";

export interface EmbeddedHistoryOptions {
  /** Path of the file; its folder is created where missing. */
  readonly path: string;
  readonly chainId: number;
  /** Maximum number of 4 KiB pages of the file; default: no limit. */
  readonly pagesMax?: number;
  /** Only reads an existing file, while another process may write it. */
  readonly isReadOnly?: boolean;
}

/** Swaps sent to the thread at once: a twentieth of a millisecond of this thread's time. */
const SWAPS_AT_ONCE = 16;

/**
 * A store in a SQLite file, which a thread of its own reads and writes until the scope closes. Only
 * one process may write a file; others may read it, and `copyTo` copies it meanwhile. A thread that
 * has ended is replaced at the next call.
 */
export const embeddedHistory = Effect.fnUntraced(function* ({
  path,
  chainId,
  pagesMax,
  isReadOnly,
}: EmbeddedHistoryOptions): Effect.fn.Return<HistoryStore, HistoryError, Scope.Scope> {
  const data = { path, chainId, pagesMax, isReadOnly };
  let thread = new HistoryThread(data);
  let isClosed = false;
  yield* Effect.addFinalizer(() => {
    isClosed = true;
    return Effect.promise(() => thread.close());
  });
  yield* attempt(() => thread.ready);

  const living = (): HistoryThread => {
    if (thread.hasEnded && !isClosed) thread = new HistoryThread(data);
    return thread;
  };
  const ask = <A>(task: HistoryTask) => attempt(() => living().ask(task) as Promise<A>);
  const read =
    <A, Query>(what: ReadName) =>
    (query: Query) =>
      ask<A>({ kind: "read", what, query });

  const oneWrite = yield* Semaphore.make(1);
  const write = Effect.fnUntraced(function* (changes: ReadonlyArray<HistoryChange>) {
    const used = living();
    const sending = Effect.gen(function* () {
      for (const part of partsOf(changes)) {
        used.send({ kind: "changes", ...part });
        yield* Effect.yieldNow;
      }
    });
    yield* Effect.onInterrupt(sending, () => Effect.sync(() => used.send({ kind: "abandon" })));
    yield* attempt(() => used.ask({ kind: "write" }));
  }, oneWrite.withPermits(1));

  return {
    write,
    trades: read("trades"),
    candles: (query) =>
      Effect.map(read<Float64Array, CandlesQuery>("candles")(query), unpackCandles),
    blocks: read("blocks"),
    states: read("states"),
    stateRange: ask({ kind: "stateRange" }),
    coverage: ask({ kind: "coverage" }),
    check: ask({ kind: "check" }),
    size: ask({ kind: "size" }),
    copyTo: (target) => attempt(() => copyFile({ path, target })),
  };
});

/** The id of the chain whose history a file holds. */
export const chainOfHistory = (path: string): Effect.Effect<number, HistoryError> =>
  Effect.try({
    try: () => chainOfFile(path),
    catch: (error) => new HistoryError(failureOf(error)),
  });

interface Part {
  readonly changes: ReadonlyArray<HistoryChange>;
  /** The first change continues the block that the part before ended with. */
  readonly isContinued: boolean;
}

/** Splits the changes into parts of about `SWAPS_AT_ONCE` swaps or other changes. */
function* partsOf(changes: ReadonlyArray<HistoryChange>): Generator<Part> {
  let part: HistoryChange[] = [];
  let room = SWAPS_AT_ONCE;
  let isContinued = false;
  for (const change of changes) {
    let rest = change;
    while (rest.kind === "block" && rest.block.swaps.length > room) {
      const { stamp, swaps, prices } = rest.block;
      yield {
        changes: [
          ...part,
          { kind: "block", block: { stamp, swaps: swaps.slice(0, room), prices } },
        ],
        isContinued,
      };
      rest = { kind: "block", block: { stamp, swaps: swaps.slice(room), prices: new Map() } };
      [part, room, isContinued] = [[], SWAPS_AT_ONCE, true];
    }
    part.push(rest);
    room -= rest.kind === "block" ? rest.block.swaps.length : 1;
    if (room > 0) continue;
    yield { changes: part, isContinued };
    [part, room, isContinued] = [[], SWAPS_AT_ONCE, false];
  }
  if (part.length > 0) yield { changes: part, isContinued };
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, HistoryError> =>
  Effect.tryPromise({ try: run, catch: (error) => asFailure(error) });

function asFailure(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  throw error;
}

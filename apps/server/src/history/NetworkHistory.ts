import type { ArchiveProgress, ChainSource, KnownRange } from "@millrace/chain";
import type { AppliedBlock } from "@millrace/core";
import {
  type CoveredRange,
  HistoryError,
  type HistoryStore,
  HistoryWriter,
  type WriterStatus,
} from "@millrace/history";
import type { ArchivedBlock, MarketData } from "@millrace/market";
import { Clock, Effect, type Scope } from "effect";
import type { NetworkConfig } from "../config/ServerConfig.ts";
import { FairPlaces } from "../limits/FairPlaces.ts";
import { ClaimedBlocks } from "./ClaimedBlocks.ts";
import { type OpenStore, openStore, type StorePlace } from "./openStore.ts";

/** The status of a network's history. */
export interface HistoryStanding extends WriterStatus {
  /** Time of the first block from which on all swaps are kept, up to the newest. */
  readonly sinceMs: number | undefined;
  /** Ranges of blocks that are not kept, between ranges that are. */
  readonly gaps: ReadonlyArray<{ readonly fromBlock: number; readonly toBlock: number }>;
  /** How far the wanted past is read; undefined before that is known. */
  readonly progress: ArchiveProgress | undefined;
}

interface FollowOptions {
  readonly source: Pick<
    ChainSource,
    "published" | "republish" | "archiveProgress" | "archiveConfirmedTo"
  >;
  readonly data: Pick<MarketData, "hasAllTrades">;
  readonly onApplied: (listener: (block: AppliedBlock) => void) => () => void;
}

/** How often old blocks are deleted. */
const FORGET_EVERY = "1 minute";
const COVERAGE_EVERY = "10 seconds";
const DAY_MS = 86_400_000;

/** The stored history of a network, which goes further back than memory. */
export interface NetworkHistory {
  readonly store: HistoryStore;
  readonly writer: HistoryWriter;
  /** The ranges that were kept at the start. */
  readonly known: ReadonlyArray<KnownRange>;
  /** See `MarketDataOptions.archive`. */
  readonly archive: (block: ArchivedBlock) => void;
  /** Keeps what the market applies; to be called before its second block is applied. */
  readonly follow: (options: FollowOptions) => Effect.Effect<void, never, Scope.Scope>;
  readonly standing: (nowMs: number) => HistoryStanding;
  /** Reads the store for a client, in turns with other clients; fails where too many reads wait. */
  readonly readFor: <A>(
    client: string,
    read: Effect.Effect<A, HistoryError>,
  ) => Effect.Effect<A, HistoryError>;
}

/** Opens the history of a network, until the scope closes; what waits is written before that. */
export const openHistory = Effect.fnUntraced(function* (
  place: StorePlace,
  { history }: Pick<NetworkConfig, "history">,
): Effect.fn.Return<NetworkHistory, never, Scope.Scope> {
  const writer: HistoryWriter = new HistoryWriter({
    store: { write: (changes) => store.write(changes) },
    onProblem: logProblem,
  });
  const { store, beginAnew }: OpenStore = yield* openStore(
    place,
    Effect.suspend(() => writer.finish),
  );
  let coverage = yield* covered(store);
  const known = yield* Effect.forEach(coverage, (range) => withOlderBlocks(store, range)).pipe(
    Effect.catch(() => Effect.succeed(coverage)),
  );
  const claimed = new ClaimedBlocks();
  const reading = new ReadingLog();
  let republish: ChainSource["republish"] = () => {};
  let progress: FollowOptions["source"]["archiveProgress"] = () => undefined;
  yield* Effect.forkScoped(writer.run);

  const archive = ({ stamp, reverted, swaps, prices }: ArchivedBlock) => {
    const nowMs = Date.now();
    if (reverted.length > 0) {
      writer.offer({ kind: "revert", hashes: reverted }, nowMs);
      for (const hash of reverted) claimed.reverted(hash);
    }
    if (swaps.length === 0) return;
    const isTaken = writer.offer({ kind: "block", block: { stamp, swaps, prices } }, nowMs);
    // The block is a gap until it comes again as a block of the past.
    if (!isTaken) republish(stamp.number, stamp.number);
  };

  const follow = Effect.fnUntraced(function* ({ source, data, onApplied }: FollowOptions) {
    republish = source.republish;
    progress = source.archiveProgress;
    const confirmedTo = source.archiveConfirmedTo();
    if (known.length > 0 && confirmedTo === undefined) {
      yield* Effect.logWarning("the history is of another chain: it is put aside");
      yield* beginAnew;
    } else {
      // Ranges may be missing at the start because they could not be read.
      if (confirmedTo !== undefined) {
        writer.offer({ kind: "revertAbove", number: confirmedTo }, Date.now());
      }
      writer.offer({ kind: "forgetUncovered" }, Date.now());
    }
    // The market has the first block before anybody follows it.
    let takenCount = 1;
    const look = () => {
      const { messageCount, ranges } = source.published();
      if (takenCount < messageCount || !data.hasAllTrades()) return;
      for (const range of claimed.claim(ranges)) {
        writer.offer({ kind: "covered", range }, Date.now());
      }
    };
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        onApplied(() => {
          takenCount++;
          look();
        }),
      ),
      (unsubscribe) =>
        Effect.sync(() => {
          unsubscribe();
          look();
        }),
    );
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.gen(function* () {
          yield* Effect.sleep(COVERAGE_EVERY);
          look();
          coverage = yield* covered(store);
          yield* reading.log(source.archiveProgress());
        }),
      ),
    );
  });

  if (history.keptDays !== undefined) {
    const keptMs = history.keptDays * DAY_MS;
    const forget = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis;
      writer.offer({ kind: "forget", beforeMs: nowMs - keptMs }, nowMs);
      yield* Effect.sleep(FORGET_EVERY);
    });
    yield* Effect.forkScoped(Effect.forever(forget));
  }

  const places = new FairPlaces(READS);
  return {
    readFor: (client, read) =>
      // A read goes on when nobody waits for it any more, and holds its place until it ends.
      places.takes(client)
        ? places.run(client, Effect.uninterruptible(read))
        : Effect.fail(TOO_MANY_READS),
    store,
    writer,
    known,
    archive,
    follow,
    standing: (nowMs) => ({
      ...writer.status(nowMs),
      sinceMs: coverage.at(-1)?.fromMs,
      gaps: gapsBetween(coverage),
      progress: progress(),
    }),
  };
});

/** Logs how far the past is read, tenth by tenth, and when it is complete. */
class ReadingLog {
  #logged: number | undefined;

  log(progress: ArchiveProgress | undefined): Effect.Effect<void> {
    if (progress === undefined) return Effect.void;
    const { headBlock, fromBlock, missingTo } = progress;
    const share =
      missingTo === undefined ? 1 : (headBlock - missingTo) / (headBlock - fromBlock + 1);
    const tenths = Math.floor(10 * share);
    if (tenths === this.#logged) return Effect.void;
    const isFirst = this.#logged === undefined;
    this.#logged = tenths;
    if (missingTo === undefined) {
      return isFirst ? Effect.void : Effect.logInfo("the history is read as far back as is wanted");
    }
    return Effect.annotateLogs(Effect.logInfo("reading the history"), {
      percent: 10 * tenths,
      missingTo,
      fromBlock,
    });
  }
}

/** The thread of a history file answers one read after the other, and writes in between. */
const READS = { placesMax: 2, waitingMax: 2_048, clientMax: 256 };

export const TOO_MANY_READS: HistoryError = new HistoryError({
  reason: "Unavailable",
  detail: "too many reads of the history wait",
});

const covered = (store: HistoryStore): Effect.Effect<ReadonlyArray<CoveredRange>> =>
  Effect.catch(store.coverage, () => Effect.succeed([]));

/**
 * The range with hashes of older blocks as well, each twice as far back as the last: a node may be
 * further behind than the newest hashes reach.
 */
const withOlderBlocks = Effect.fnUntraced(function* (
  store: HistoryStore,
  range: CoveredRange,
): Effect.fn.Return<CoveredRange, HistoryError> {
  const older: Array<CoveredRange["blocks"][number]> = [];
  const { fromBlock, toBlock, blocks } = range;
  let first = blocks[0]?.number ?? toBlock;
  for (let back = 2 * (toBlock - first + 1); first > fromBlock; back *= 2) {
    const after = Math.max(fromBlock, toBlock - back) - 1;
    const [found] = yield* store.blocks({ after, swapsMax: 1 });
    if (found !== undefined && found.stamp.number < first) {
      const { number, hash } = found.stamp;
      older.unshift({ number, hash });
      first = number;
    }
    if (after < fromBlock) break;
  }
  return { ...range, blocks: [...older, ...blocks] };
});

function gapsBetween(ranges: ReadonlyArray<CoveredRange>) {
  return ranges.slice(1).map(({ fromBlock }, index) => ({
    fromBlock: ranges[index]!.toBlock + 1,
    toBlock: fromBlock - 1,
  }));
}

const logProblem = (problem: HistoryError | undefined) =>
  problem === undefined
    ? Effect.logInfo("the history is written again")
    : Effect.annotateLogs(Effect.logWarning("the history is not written: trying again"), {
        reason: problem.reason,
        detail: problem.detail,
      });

import type { Hex } from "@millrace/protocols";
import { Clock, Effect, Result } from "effect";
import { Ancestry, type Ask } from "../follow/Ancestry.ts";
import { type Following, noteDefect } from "../follow/Following.ts";
import type { PastPart } from "../follow/MarketContent.ts";
import { LOG_COUNT_MAX } from "../reading/fetchCreations.ts";
import { faster, PACE_FIRST, type RangePace, slower } from "../reading/rangePace.ts";
import { aside, type Endpoint } from "../rpc/Endpoints.ts";
import { jitteredBackoff } from "../rpc/jitteredBackoff.ts";
import type { RpcError } from "../rpc/RpcError.ts";
import { firstBlockSince } from "./firstBlockSince.ts";
import type { Gap } from "./PublishedBlocks.ts";
import { readRecent, readSettled } from "./readPart.ts";

/** Pools to be loaded come first, for at most this long. */
const LOADING_MS_MAX = 5_000;
const IDLE_MS = 250;
/** Swaps are far more frequent than creations. */
const PACE_OF_SWAPS: RangePace = { ...PACE_FIRST, blockCount: 64 };
/** A range with more logs is long enough: decoding it takes some 20 ms. */
const LOG_COUNT_AMPLE = LOG_COUNT_MAX / 8;
/** Blocks that are read one by one in one part. */
const RECENT_BLOCKS = 16;
const WAIT_FIRST_MS = 250;
const WAIT_MAX_MS = 8_000;
const FAILURES_LOGGED = 3;
/** Errors that a shorter range may avoid; they are not blamed on the endpoint. */
const DIVISIBLE: ReadonlySet<RpcError["reason"]> = new Set([
  "TooLarge",
  "TimedOut",
  "Malformed",
  "BadData",
]);

/**
 * Publishes the swaps of the past, newest first, for ever: at the start, and whenever the market
 * was read anew and blocks were skipped. Works only while the chain is followed, and with lower
 * priority.
 */
export const fillHistory = Effect.fnUntraced(function* (
  following: Following,
  topics: ReadonlySet<Hex>,
) {
  const { mirror, condition, archive } = following;
  const reader = new Reader(following, topics);
  let failures = 0;
  for (;;) {
    yield* untilFollowed(following);
    const turn = Effect.gen(function* () {
      if (condition.wanted?.resetCount !== mirror.resetCount) return yield* begin(following);
      const { fromBlock, archiveFromBlock } = condition.wanted;
      const gap = mirror.published.gapBelow(mirror.head!, archiveFromBlock);
      if (gap === undefined) return yield* Effect.sleep(IDLE_MS);
      const canWait = gap.to.number < fromBlock || mirror.published.isRepublished(gap);
      // Without an archive, republishing serves those who follow a feed.
      if (canWait && archive?.hasRoom() === false) return yield* Effect.sleep(IDLE_MS);
      yield* reader.read(gap);
    });
    const outcome = yield* Effect.result(turn).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.andThen(noteDefect(condition, "reading the past")(defect), Effect.sleep(IDLE_MS)),
          Result.void,
        ),
      ),
    );
    if (Result.isSuccess(outcome)) {
      failures = 0;
      continue;
    }
    failures++;
    if (failures === FAILURES_LOGGED) yield* logFailure(outcome.failure);
    yield* Effect.sleep(yield* jitteredBackoff(failures, WAIT_FIRST_MS, WAIT_MAX_MS));
  }
});

/** Nothing is read while the market is being opened, or behind. */
const untilFollowed = Effect.fnUntraced(function* ({ mirror, condition }: Following) {
  while (mirror.head === undefined || condition.obstacle !== undefined) {
    yield* Effect.sleep(IDLE_MS);
  }
});

/** Finds out how far back the past is wanted. */
const begin = Effect.fnUntraced(function* (following: Following): Effect.fn.Return<void, RpcError> {
  const { mirror, condition, reading, admissions, blockTimeMs, historyMs, archive } = following;
  const { resetCount } = mirror;
  const head = mirror.head!;
  const startMs = yield* Clock.currentTimeMillis;
  const isLoading = () => admissions.waitingCount > 0 || admissions.unseenCount > 0;
  while (isLoading() && (yield* Clock.currentTimeMillis) - startMs < LOADING_MS_MAX) {
    yield* Effect.sleep(IDLE_MS);
  }
  const { startBlock } = reading.dexes;
  const ask: Ask = (use) => reading.endpoints.withEndpoint((endpoint) => use(aside(endpoint)));
  const ancestry = new Ancestry(ask, head, reading.journalDepth);
  const firstWithin = (ms: number) =>
    firstBlockSince(
      ancestry.headerAt,
      head,
      head.timestampMs - ms,
      startBlock,
      Math.ceil(ms / blockTimeMs),
    );
  const fromBlock = yield* firstWithin(historyMs);
  const archiveFromBlock =
    archive === undefined || archive.historyMs <= historyMs
      ? fromBlock
      : yield* firstWithin(archive.historyMs);
  const { timestampMs: fromMs } = yield* ancestry.headerAt(fromBlock);
  yield* ancestry.confirm;
  if (mirror.resetCount === resetCount) {
    condition.wanted = { resetCount, fromBlock, fromMs, archiveFromBlock };
  }
});

/** Reads gaps at the pace that the endpoints allow. */
class Reader {
  readonly #following: Following;
  readonly #topics: ReadonlySet<Hex>;
  #pace = PACE_OF_SWAPS;

  /** `topics`: the first ones of the logs of pools. */
  constructor(following: Following, topics: ReadonlySet<Hex>) {
    this.#following = following;
    this.#topics = topics;
  }

  /** Reads the upper part of a gap and publishes it. Fails when nothing of it could be read. */
  read(gap: Gap): Effect.Effect<void, RpcError> {
    const { mirror, reading } = this.#following;
    const settled = mirror.head!.number - reading.journalDepth;
    return gap.to.number > settled ? this.#readRecent(gap, settled) : this.#readSettled(gap);
  }

  readonly #readRecent = Effect.fnUntraced({ self: this }, function* (gap: Gap, settled: number) {
    const { fromBlock, to } = gap;
    const { resetCount } = this.#following.mirror;
    const from = Math.max(fromBlock, settled + 1, to.number - RECENT_BLOCKS + 1);
    const part = yield* this.#following.reading.endpoints.withEndpoint((endpoint) =>
      readRecent(aside(endpoint), this.#following, from, to),
    );
    yield* this.#publish(part, gap, resetCount);
  });

  readonly #readSettled = Effect.fnUntraced({ self: this }, function* (gap: Gap) {
    const { fromBlock, to } = gap;
    const { resetCount } = this.#following.mirror;
    const from = Math.max(fromBlock, to.number - this.#pace.blockCount + 1);
    const blockCount = to.number - from + 1;
    const readOne = (endpoint: Endpoint) => readRecent(aside(endpoint), this.#following, from, to);
    const readMany = (endpoint: Endpoint) =>
      readSettled(aside(endpoint), this.#following, this.#topics, from, to).pipe(
        Effect.catchIf(
          ({ reason }) => DIVISIBLE.has(reason),
          () => Effect.succeed(undefined),
        ),
      );
    // Where no range is short enough, blocks can still be read one by one.
    const read = blockCount === 1 ? readOne : readMany;
    const part = yield* this.#following.reading.endpoints.withEndpoint(read).pipe(
      Effect.tapError(({ reason }) =>
        Effect.sync(() => {
          // Every endpoint refuses, in words of its own: mostly since the range is too long.
          if (reason === "Refused") this.#pace = slower(this.#pace, blockCount);
        }),
      ),
    );
    if (part === undefined) {
      this.#pace = slower(this.#pace, blockCount);
      return;
    }
    if (blockCount === this.#pace.blockCount && part.logCount < LOG_COUNT_AMPLE) {
      this.#pace = faster(this.#pace);
    }
    yield* this.#publish(part, gap, resetCount);
  });

  /** Publishes a part, unless the market was started anew meanwhile, or the gap has changed. */
  readonly #publish = Effect.fnUntraced(
    { self: this },
    function* (part: PastPart, gap: Gap, resetCount: number) {
      const { mirror, emit } = this.#following;
      yield* untilFollowed(this.#following);
      if (mirror.resetCount !== resetCount) return;
      // A reorganisation may have taken back what was read.
      const { to } = mirror.published.gapBelow(mirror.head!, gap.fromBlock) ?? {};
      if (to?.hash !== gap.to.hash) return;
      for (const block of mirror.publishPast(part)) emit(block);
    },
  );
}

const logFailure = ({ endpoint, method, reason, detail }: RpcError) =>
  Effect.logWarning("the past cannot be read: trying again").pipe(
    Effect.annotateLogs({ endpoint, method, reason, detail }),
  );

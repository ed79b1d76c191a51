import type { MarketBlock } from "@millrace/core";
import { Clock, Effect, Queue, type Scope } from "effect";
import { decodeEntry, encodeEntry } from "../bytes/entryBytes.ts";
import { encodeFeedSnapshot } from "../bytes/snapshotBytes.ts";
import type { BlockRange, FeedLogError, FeedPosition, Lease } from "../log/FeedLog.ts";
import { commonBlock, differenceOf, wholeBlock } from "../market/differenceOf.ts";
import { MarketReplica } from "../market/MarketReplica.ts";
import type { FeedOptions, LeadingSource } from "./FeedOptions.ts";
import type { FeedState, Publication } from "./FeedState.ts";
import type { LeaderMarket } from "./LeaderMarket.ts";
import { readOn, resync } from "./readFeed.ts";
import { RETOLD_NOTE, type RetoldRange, retoldText } from "./retold.ts";

export interface Leading {
  readonly options: FeedOptions;
  readonly state: FeedState;
  readonly own: LeaderMarket;
  readonly leaseMs: number;
}

const LOOK_MS = 20;
const RETRY_MS = 50;
const SOON_MS = 1_000;
const SNAPSHOT_ENTRIES = 200;
const NO_NOTES: ReadonlyMap<string, string> = new Map();
/** Lease times to wait for a source that is behind or has an obstacle, and for an append. */
const PATIENCE_LEASES = 3;
/** How often in a lease time a leader checks its source and its requests. */
const LOOKS = 4;
/** Swaps of so many blocks before the takeover are published again: the log may have lost some. */
const RETOLD_BLOCKS = 32;

/**
 * Publishes what this server's own source reports, for as long as the lease stands. The first entry
 * is the difference from the market published last to the source's market; then one entry a block.
 */
export const lead = Effect.fnUntraced(function* (
  leading: Leading,
): Effect.fn.Return<"Deposed" | "Lost" | "Unable", never, Scope.Scope> {
  const { state, own } = leading;
  const lease = state.lease!;
  yield* Effect.ignore(readToEnd(leading));
  if (!(yield* isAbreast(leading))) return "Unable";

  const publications = yield* Queue.unbounded<Publication>();
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      own.collect(undefined);
      state.publications = undefined;
    }),
  );
  // No block may arrive between these statements and `collect`.
  const { replica: former } = state;
  const first = former === undefined ? wholeBlock(own.replica) : takeover(former, own);
  const isPastKnown = former?.history?.isComplete === true;
  const missed = state.holes.map(({ fromBlock }) => fromBlock);
  const since = isPastKnown ? Math.min(firstRetold(former, own.replica), ...missed) : 0;
  own.collect((block) => Queue.offerUnsafe(publications, { block }));
  state.publications = publications;

  // Requested before the first entry is written, so that this entry says that the past is
  // incomplete.
  const asked = new AskedRanges(own.leading.retell);
  asked.take({ fromBlock: since, toBlock: own.replica.stamp.number }, state.position);
  const publisher = yield* Publisher.make(leading, lease);
  const outcome = yield* publisher.publish(first, NO_NOTES);
  if (outcome !== "Appended") return outcome;
  yield* Effect.forkScoped(Effect.forever(surviving(saveSnapshots(leading, lease, publisher))));
  const answering = answerRequests(leading, lease, asked, publisher);
  yield* Effect.forkScoped(Effect.forever(surviving(answering)));
  const publishing = Effect.gen(function* () {
    for (;;) {
      const { block, notes = NO_NOTES } = yield* Queue.take(publications);
      const whole = "stamp" in block ? block : { ...nothingMore(state.replica!), ...block };
      const published = yield* publisher.publish(whole, notes);
      if (published !== "Appended") return published;
    }
  });
  return yield* Effect.raceFirst(publishing, Effect.as(failing(leading), "Unable" as const));
});

/** Ends when the source has had an obstacle for too long. */
const failing = Effect.fnUntraced(function* ({ own, leaseMs }: Leading) {
  for (let wellAtMs = yield* Clock.currentTimeMillis; ; ) {
    yield* Effect.sleep(leaseMs / LOOKS);
    const nowMs = yield* Clock.currentTimeMillis;
    if (own.obstacle() === undefined) wellAtMs = nowMs;
    if (nowMs - wellAtMs > PATIENCE_LEASES * leaseMs) return;
  }
});

/** Logs a defect and ends normally, so that no content of a log can stop reading or writing. */
export const surviving = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) =>
    Effect.andThen(Effect.logError("a fault of the feed", defect), Effect.sleep(RETRY_MS)),
  );

/** Applies what others have published meanwhile. */
const readToEnd = Effect.fnUntraced(function* ({ state, options: { log, chainId } }: Leading) {
  for (;;) {
    const { count, isSound } = yield* readOn({ log, chainId, state }, 0);
    if (!isSound && !(yield* resync({ log, chainId, state }))) return;
    if (count === 0) return;
  }
});

/** Waits, for a limited time, until the source is not behind the market. */
const isAbreast = Effect.fnUntraced(function* ({ state, own, leaseMs }: Leading) {
  const isReady = () =>
    own.obstacle() === undefined && own.replica.stamp.number >= (state.replica?.stamp.number ?? 0);
  const since = yield* Clock.currentTimeMillis;
  for (;;) {
    if (state.lease === undefined) return false;
    if (isReady()) return true;
    const waitedMs = (yield* Clock.currentTimeMillis) - since;
    if (waitedMs > PATIENCE_LEASES * leaseMs) {
      // The chain may have gone back. A source without an obstacle can be trusted on that.
      return own.obstacle() === undefined && !own.isBehind(state.replica);
    }
    yield* Effect.sleep(LOOK_MS);
  }
});

/** The difference from the published to the source's market; no source knows excluded tokens. */
function takeover(former: MarketReplica, { replica, leading }: LeaderMarket): MarketBlock {
  const isRetold = leading.retell !== undefined;
  const { excludedFromTransit: _, ...block } = differenceOf(former, replica, isRetold);
  return block;
}

function firstRetold({ stamp, line }: MarketReplica, own: MarketReplica): number {
  const common = commonBlock(line, own.line)?.number ?? line[0]!.number - 1;
  return Math.max(0, Math.min(common, stamp.number - RETOLD_BLOCKS) + 1);
}

const nothingMore = ({ stamp }: MarketReplica): MarketBlock => ({
  ...wholeBlock(new MarketReplica()),
  stamp,
});

/** Writes entries one after the other, and applies those that were written. */
class Publisher {
  readonly #leading: Leading;
  readonly #lease: Lease;
  readonly #written: Queue.Queue<void>;
  /** A snapshot was requested, however few entries came after the last one. */
  isSnapshotAsked = false;
  #sequence = 0;

  private constructor(leading: Leading, lease: Lease, written: Queue.Queue<void>) {
    this.#leading = leading;
    this.#lease = lease;
    this.#written = written;
  }

  static readonly make = (leading: Leading, lease: Lease): Effect.Effect<Publisher> =>
    Effect.map(Queue.sliding<void>(1), (written) => new Publisher(leading, lease, written));

  /** Completes with the next entry, or request for a snapshot. */
  get nextEntry(): Effect.Effect<void> {
    return Queue.take(this.#written);
  }

  /** Has a snapshot written as soon as there are entries after the last one. */
  askForSnapshot(): void {
    this.isSnapshotAsked = true;
    Queue.offerUnsafe(this.#written, undefined);
  }

  get sequence(): number {
    return this.#sequence;
  }

  readonly publish = Effect.fnUntraced(
    { self: this },
    function* (this: Publisher, block: MarketBlock, notes: ReadonlyMap<string, string>) {
      const { state, own, options } = this.#leading;
      const replica = state.replica ?? new MarketReplica();
      const publishedAtMs = yield* Clock.currentTimeMillis;
      const { publications } = state;
      const isDrained = publications === undefined || Queue.sizeUnsafe(publications) === 0;
      const entry = {
        chainId: options.chainId,
        position: { epoch: this.#lease.epoch, sequence: this.#sequence + 1 },
        before: replica.point,
        digest: replica.plan(block).point.digest,
        publishedAtMs,
        // The source's history covers all its blocks, some of which may still wait here.
        history: isDrained ? own.leading.source.history?.() : replica.history,
        notes,
        block,
      };
      const bytes = encodeEntry(entry);
      const outcome = yield* this.#append(bytes);
      if (outcome !== "Appended") return outcome;
      this.#sequence++;
      Queue.offerUnsafe(this.#written, undefined);
      state.replica = replica;
      // Applied as decoded, so that the leader sees what every reader sees.
      const read = decodeEntry(bytes);
      state.take(read, replica.plan(read.block), yield* Clock.currentTimeMillis);
      state.counts.publishedEntries++;
      state.heardAtMs = yield* Clock.currentTimeMillis;
      return outcome;
    },
  );

  /** Where the answer was lost, the entry may or may not be written: it is sent once more. */
  readonly #append = Effect.fnUntraced(
    { self: this },
    function* (this: Publisher, bytes: Uint8Array) {
      const { options, state, leaseMs } = this.#leading;
      const since = yield* Clock.currentTimeMillis;
      for (;;) {
        if (state.lease?.epoch !== this.#lease.epoch) return "Deposed";
        const tried = yield* Effect.result(
          options.log.append(this.#lease, this.#sequence + 1, bytes),
        );
        if (tried._tag === "Success") return tried.success;
        noteFailure(state, tried.failure);
        const triedMs = (yield* Clock.currentTimeMillis) - since;
        if (triedMs > PATIENCE_LEASES * leaseMs) return "Unable";
        yield* Effect.sleep(RETRY_MS);
      }
    },
  );
}

export function noteFailure(state: FeedState, { reason, detail }: FeedLogError): void {
  state.counts.logFailures++;
  state.problem = `${reason}: ${detail}`;
}

/** Writes a snapshot at once, and again after so many entries. */
const saveSnapshots = Effect.fnUntraced(function* (
  { options, state }: Leading,
  lease: Lease,
  publisher: Publisher,
) {
  const { log, chainId, attachment = Effect.undefined } = options;
  const every = options.snapshotEntries ?? SNAPSHOT_ENTRIES;
  let savedAt = Number.NEGATIVE_INFINITY;
  let bareAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const isAsked = publisher.isSnapshotAsked && publisher.sequence > savedAt;
    if (publisher.sequence - savedAt < every && !isAsked) {
      yield* publisher.nextEntry;
      continue;
    }
    publisher.isSnapshotAsked = false;
    const [position, market] = [state.position, state.replica!.frozen()];
    const attached = yield* attachment;
    // The attachment may not be ready yet. A snapshot without it would replace one with it, and the
    // entries after that one would no longer be used.
    const isBare = options.attachment !== undefined && attached === undefined;
    if (isBare && !isAsked && position.sequence - bareAt < every) {
      yield* Effect.sleep(SOON_MS);
      continue;
    }
    const pieces = yield* encoded({ chainId, position, market, attachment: attached });
    const saved = yield* Effect.result(log.saveSnapshot(lease, position, pieces));
    if (saved._tag === "Failure") {
      noteFailure(state, saved.failure);
      yield* Effect.sleep(RETRY_MS);
      continue;
    }
    if (saved.success !== "Appended") return yield* Effect.never;
    state.counts.savedSnapshots++;
    if (isBare) bareAt = position.sequence;
    else savedAt = position.sequence;
  }
});

const encoded = Effect.fnUntraced(function* (content: Parameters<typeof encodeFeedSnapshot>[0]) {
  const writing = encodeFeedSnapshot(content);
  for (;;) {
    const step = writing.next();
    if (step.done === true) return step.value;
    yield* Effect.yieldNow;
  }
});

/** Blocks whose swaps the source reports again, one range at a time; new requests are merged. */
class AskedRanges {
  readonly #retell: LeadingSource["retell"];
  #telling: RetoldRange | undefined;
  #next: BlockRange | undefined;

  constructor(retell: LeadingSource["retell"]) {
    this.#retell = retell;
  }

  /** `since`: the range's swaps are published in entries after this position. */
  take(range: BlockRange, since: FeedPosition): void {
    if (this.#retell === undefined || range.fromBlock > range.toBlock) return;
    if (this.#telling !== undefined) {
      const { fromBlock, toBlock } = this.#next ?? range;
      this.#next = {
        fromBlock: Math.min(fromBlock, range.fromBlock),
        toBlock: Math.max(toBlock, range.toBlock),
      };
      return;
    }
    this.#telling = { ...range, since };
    this.#retell(range);
  }

  /** The range just finished, if the past is complete; then begins with the requests made since. */
  done(isComplete: boolean, since: FeedPosition): RetoldRange | undefined {
    const done = this.#telling;
    if (!isComplete || done === undefined) return undefined;
    const next = this.#next;
    this.#telling = undefined;
    this.#next = undefined;
    if (next !== undefined) this.take(next, since);
    return done;
  }
}

/** Serves the requests of readers, and publishes a note when a range has been reported again. */
const answerRequests = Effect.fnUntraced(function* (
  { options, state, own, leaseMs }: Leading,
  lease: Lease,
  asked: AskedRanges,
  publisher: Publisher,
) {
  for (;;) {
    yield* Effect.sleep(leaseMs / LOOKS);
    const isComplete = own.leading.source.history?.()?.isComplete ?? false;
    const done = asked.done(isComplete, state.position);
    const { publications } = state;
    if (done !== undefined && publications !== undefined) {
      yield* Queue.offer(publications, {
        block: {},
        notes: new Map([[RETOLD_NOTE, retoldText(done)]]),
      });
    }
    const requests = yield* Effect.result(options.log.takeAsked(lease));
    if (requests._tag === "Failure") continue;
    for (const request of requests.success) {
      if (request === "snapshot") publisher.askForSnapshot();
      else asked.take(request, state.position);
    }
  }
});

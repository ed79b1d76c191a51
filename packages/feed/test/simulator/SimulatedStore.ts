import {
  type AppendOutcome,
  type FeedLog,
  FeedLogError,
  MemoryLog,
  type MemoryLogState,
} from "@millrace/feed";
import type { RandomSource } from "@millrace/testing";
import { Clock, Effect } from "effect";

/** How long a client waits for an answer. */
const TIMEOUT_MS = 300;
const COPY_MS = 100;
/** Copies that are kept: two seconds' worth. */
const COPIES = 20;
const LATENCY_MAX_MS = 5;

/** Redis as a feed sees it: the current data, and copies as on a disk or a replica. */
export class SimulatedStore {
  log = new MemoryLog();
  /** The old primary, which some servers still write to during a network split. */
  former: MemoryLog | undefined;
  isDown = false;
  /** Something that was written is lost. */
  hasLost = false;
  /** The next entry is damaged when it is written. */
  damagesNext = false;
  readonly #copies: MemoryLogState[] = [];

  /** Takes copies again and again, as a disk or a replica does. */
  readonly copying: Effect.Effect<never> = Effect.forever(
    Effect.andThen(
      Effect.sleep(COPY_MS),
      Effect.sync(() => {
        this.#copies.push(this.log.state);
        if (this.#copies.length > COPIES) this.#copies.shift();
      }),
    ),
  );

  /** Returns to an earlier copy; gives the number of lost entries. */
  goBack(copies: number): number {
    const before = this.log.state.entries.at(-1)?.position;
    const state = this.#copies.at(-copies) ?? this.#copies[0];
    const lost =
      before === undefined || state === undefined
        ? 0
        : this.log.state.entries.length - state.entries.length;
    if (state !== undefined) this.log.restore(state);
    this.hasLost = true;
    return Math.max(0, lost);
  }

  wipe(): void {
    this.#copies.length = 0;
    this.hasLost = true;
    this.log.restore();
  }

  /** A replica takes over with its copy; the old primary goes on for servers that see only it. */
  failOver(copies: number): number {
    this.former = this.log;
    this.log = new MemoryLog();
    this.log.restore(this.former.state);
    return this.goBack(copies);
  }

  /** Damages the newest entry if requested; gives whether it did. */
  damage(): boolean {
    const { entries } = this.log.state;
    if (!this.damagesNext || entries.length === 0) return false;
    this.damagesNext = false;
    const { position, bytes } = entries.at(-1)!;
    const damaged = {
      position,
      bytes: bytes.with(bytes.length >> 1, bytes[bytes.length >> 1]! ^ 1),
    };
    this.log.restore({ ...this.log.state, entries: [...entries.slice(0, -1), damaged] });
    return true;
  }
}

/** How one server reaches the store. */
export interface Link {
  isCut: boolean;
  /** Reaches only the old primary. */
  seesFormer: boolean;
  /** The process is stopped: it sends nothing, and ignores everything that arrives. */
  isPaused: boolean;
  /** Chance that an answer is lost after its request was executed. */
  lostAnswers: number;
}

export interface LinkCounts {
  lostAnswers: number;
  refusedWrites: number;
  lostWrites: number;
  damagedEntries: number;
}

/** A store's log as a server sees it, over a link that fails. */
export function linkedLog(
  store: SimulatedStore,
  link: Link,
  random: RandomSource,
  counts: LinkCounts,
): FeedLog {
  const log = () => (link.seesFormer && store.former !== undefined ? store.former : store.log);
  const lookMs = 40;
  const whilePaused: Effect.Effect<void> = Effect.suspend(() =>
    link.isPaused ? Effect.andThen(Effect.sleep(lookMs), whilePaused) : Effect.void,
  );
  const silence = Effect.andThen(
    Effect.sleep(TIMEOUT_MS),
    Effect.fail(new FeedLogError({ reason: "TimedOut", detail: "no answer" })),
  );
  const refused = Effect.fail(new FeedLogError({ reason: "Unavailable", detail: "refused" }));
  const over = <A>(ask: (log: FeedLog) => Effect.Effect<A, FeedLogError>) =>
    Effect.gen(function* () {
      yield* whilePaused;
      yield* Effect.sleep(1 + random.integer(LATENCY_MAX_MS));
      if (store.isDown) return yield* refused;
      if (link.isCut) return yield* silence;
      const answer = yield* ask(log());
      if (random.chance(link.lostAnswers)) {
        counts.lostAnswers++;
        return yield* silence;
      }
      yield* Effect.sleep(1 + random.integer(LATENCY_MAX_MS));
      yield* whilePaused;
      return answer;
    });
  const damage = (outcome: AppendOutcome) =>
    Effect.sync(() => {
      if (outcome === "Appended" && store.damage()) counts.damagedEntries++;
    });
  return {
    acquire: (holder, leaseMs, above) => over((each) => each.acquire(holder, leaseMs, above)),
    renew: (lease, leaseMs) => over((each) => each.renew(lease, leaseMs)),
    release: (lease) => over((each) => each.release(lease)),
    depose: (epoch) => over((each) => each.depose(epoch)),
    append: (lease, sequence, bytes) =>
      over((each) => Effect.tap(each.append(lease, sequence, bytes), damage)).pipe(
        Effect.tap((outcome) =>
          Effect.sync(() => {
            if (outcome === "Deposed") counts.refusedWrites++;
            if (outcome === "Lost") counts.lostWrites++;
          }),
        ),
      ),
    // An answer that arrives over a cut link is lost.
    read: (after, waitMs) =>
      Effect.gen(function* () {
        const startMs = yield* Clock.currentTimeMillis;
        for (;;) {
          const records = yield* over((each) => each.read(after, 0));
          const waitedMs = (yield* Clock.currentTimeMillis) - startMs;
          if (records.length > 0 || waitedMs >= waitMs) return records;
          yield* Effect.sleep(lookMs);
        }
      }),
    standing: over((each) => each.standing),
    saveSnapshot: (lease, position, pieces) =>
      over((each) => each.saveSnapshot(lease, position, pieces)),
    loadSnapshot: over((each) => each.loadSnapshot),
    ask: (range) => over((each) => each.ask(range)),
    takeAsked: (lease) => over((each) => each.takeAsked(lease)),
  };
}

import type { MarketBlock, MarketSource, MarketSourceError } from "@millrace/core";
import { Clock, Deferred, Effect, Latch, Queue, Random, Scope, Stream } from "effect";
import type { FeedLogError } from "../log/FeedLog.ts";
import type { FeedOptions, FeedRole, MarketFeed } from "./FeedOptions.ts";
import { FeedState, type Publication } from "./FeedState.ts";
import { LeaderMarket } from "./LeaderMarket.ts";
import { lead, noteFailure, surviving } from "./leadFeed.ts";
import { readOn, resync } from "./readFeed.ts";

const LEASE_MS = 2_000;
const SILENCE_MS = 15_000;
/** How often a lease is renewed in the time that it stands. */
const RENEWALS = 4;
/** How often a server tries to take the lease in that time. */
const TRIALS = 10;
const READ_WAIT_MS = 500;
const RETRY_MS = 200;
const STANDING_MS = 1_000;
/** A leader that could not publish leaves the lease to others for so many lease times. */
const STAND_BACK = 2;

/**
 * Follows the market of a log until the scope closes. Where there is a source to lead with, leads
 * the market whenever no other server does. Every server applies only what was published, the
 * leader too. Without the log the market stays as it is, and counts as current for `silenceMs`.
 */
export const openFeed = Effect.fnUntraced(function* (
  options: FeedOptions,
): Effect.fn.Return<MarketFeed, never, Scope.Scope> {
  const { log, chainId, own: ownSource, holder } = options;
  const { leaseMs = LEASE_MS, silenceMs = SILENCE_MS } = options;
  const scope = yield* Scope.Scope;
  const clock = yield* Clock.Clock;
  const emitted = yield* Queue.unbounded<MarketBlock>();
  const state = new FeedState((block) => Queue.offerUnsafe(emitted, block));
  const failure = yield* Deferred.make<never, MarketSourceError>();
  const isLeading = yield* Latch.make(false);
  const isFollowing = yield* Latch.make(true);
  let own: LeaderMarket | undefined;
  let standsBackUntilMs = Number.NEGATIVE_INFINITY;

  const openOwn = Effect.gen(function* () {
    if (own !== undefined || ownSource === undefined) return;
    own = yield* Effect.provideService(LeaderMarket.open(ownSource, failure), Scope.Scope, scope);
  });
  const setLease = (lease: FeedState["lease"]) =>
    Effect.suspend(() => {
      const changes = (lease === undefined) !== (state.lease === undefined);
      state.lease = lease;
      if (!changes) return Effect.void;
      const [closed, opened] =
        lease === undefined ? [isLeading, isFollowing] : [isFollowing, isLeading];
      return Effect.andThen(closed.close, opened.open);
    });
  const logged = <A>(effect: Effect.Effect<A, FeedLogError>) =>
    effect.pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          state.problem = undefined;
        }),
      ),
      Effect.tapError((error) => Effect.sync(() => noteFailure(state, error))),
    );

  const mayTake = (nowMs: number) => {
    if (ownSource === undefined || nowMs < standsBackUntilMs) return false;
    // A server that cannot publish would only keep others from it.
    if (own === undefined) return !ownSource.isStandby;
    return own.obstacle() === undefined && !own.isBehind(state.replica);
  };
  const keepLease = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis;
    const { lease } = state;
    if (lease !== undefined) {
      const renewed = yield* Effect.result(logged(log.renew(lease, leaseMs)));
      if (state.lease !== lease) return;
      const isGone = renewed._tag === "Success" && !renewed.success;
      const laterMs = yield* Clock.currentTimeMillis;
      if (isGone || laterMs >= lease.untilMs) yield* setLease(undefined);
      else if (renewed._tag === "Success") {
        state.heardAtMs = laterMs;
        yield* setLease({ ...lease, untilMs: nowMs + leaseMs });
      }
      if (state.lease !== undefined) yield* Effect.sleep(leaseMs / RENEWALS);
      return;
    }
    if (mayTake(nowMs)) {
      const taken = yield* Effect.result(
        logged(log.acquire(holder, leaseMs, state.position.epoch)),
      );
      if (taken._tag === "Success" && taken.success !== undefined) {
        state.counts.leases++;
        yield* setLease({ ...taken.success, untilMs: nowMs + leaseMs });
        return;
      }
    }
    const share = yield* Random.next;
    yield* Effect.sleep((leaseMs / TRIALS) * (0.5 + share));
  });

  const follow = Effect.gen(function* () {
    const reading = { log, chainId, state };
    if (state.replica === undefined) {
      if (yield* logged(resync(reading))) return;
      yield* Effect.sleep(RETRY_MS);
      return;
    }
    const { count, isSound } = yield* logged(readOn(reading, READ_WAIT_MS));
    const isStuck = !isSound && !(yield* logged(resync(reading)));
    state.isStuck = isStuck;
    if (count === 0) yield* lookForLeader;
    if (isStuck || state.holes.length > 0) yield* askLeader;
    if (isStuck) yield* Effect.sleep(RETRY_MS);
  }).pipe(Effect.catch(() => Effect.sleep(RETRY_MS)));

  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Checks for a leader, since one may be there without publishing anything. */
  const lookForLeader = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis;
    if (nowMs - lookedAtMs < STANDING_MS) return;
    lookedAtMs = nowMs;
    const { epoch, isLed } = yield* logged(log.standing);
    // A log that lost its data does not know that this leader's epoch is over. Nobody applies its
    // entries.
    if (isLed && epoch < state.position.epoch)
      return yield* logged(log.depose(state.position.epoch));
    if (isLed) state.heardAtMs = yield* Clock.currentTimeMillis;
  });
  let askAtMs = Number.NEGATIVE_INFINITY;
  const askLeader = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis;
    // The leader may be publishing just these swaps. Its note comes a little after the last of
    // them.
    const isTelling = state.replica?.history?.isComplete === false;
    if (isTelling && !state.isStuck) askAtMs = nowMs + leaseMs;
    if (nowMs < askAtMs) return;
    askAtMs = nowMs + ASK_AGAIN_MS;
    if (state.isStuck) yield* logged(log.ask("snapshot"));
    for (const hole of state.holes) yield* logged(log.ask(hole));
  });

  const leadOnce = Effect.gen(function* () {
    const { lease } = state;
    if (lease === undefined) return;
    yield* openOwn;
    const leading = lead({ options, state, own: own!, leaseMs });
    const outcome = yield* Effect.scoped(
      Effect.raceFirst(leading, Effect.as(isFollowing.await, "Ended" as const)),
    );
    if (state.lease === undefined) return;
    if (outcome === "Unable")
      standsBackUntilMs = (yield* Clock.currentTimeMillis) + STAND_BACK * leaseMs;
    yield* setLease(undefined);
    yield* Effect.ignore(log.release(lease));
  });
  const steer = Effect.suspend(() =>
    state.lease === undefined ? Effect.raceFirst(follow, isLeading.await) : leadOnce,
  );

  // A leader that ends gives up its lease at once.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      state.lease === undefined ? Effect.void : Effect.ignore(log.release(state.lease)),
    ),
  );
  if (ownSource?.isStandby === true) yield* Effect.forkScoped(openOwn);
  yield* Effect.forkScoped(Effect.forever(surviving(keepLease)));
  yield* Effect.forkScoped(Effect.forever(surviving(steer)));

  const silentMs = () =>
    state.heardAtMs === undefined
      ? undefined
      : Math.max(0, clock.currentTimeMillisUnsafe() - state.heardAtMs);
  const role = (): FeedRole => {
    if (state.replica === undefined) return "starting";
    return state.publications === undefined ? "follower" : "leader";
  };
  const blocks: MarketSource["blocks"] = Stream.fromQueue(emitted).pipe(
    Stream.interruptWhen(Deferred.await(failure)),
  );
  return {
    source: {
      chainId,
      blocks,
      obstacle: () => {
        if (state.replica === undefined) return "starting";
        if ((silentMs() ?? 0) <= silenceMs) return undefined;
        return state.isStuck ? "entries of the feed are refused" : "nobody leads the feed";
      },
      diagnosis: () => state.problem,
      history: () => state.history() ?? NO_HISTORY,
    },
    status: () => ({
      role: role(),
      position: state.position,
      lagMs: state.lagMs,
      silentMs: silentMs(),
      ...state.counts,
      problem: state.problem,
    }),
    takeAttachment: () => {
      const { attachment } = state;
      state.attachment = undefined;
      return attachment;
    },
    emittedCount: () => state.emittedCount,
    note: (name, text) => publish({ block: {}, notes: new Map([[name, text]]) }),
    notes: () => state.replica?.notes ?? NO_NOTES,
    onNote: (listener) => state.onNote(listener),
    isExcludedKnown: () => state.replica?.excluded !== undefined,
    tell: (part) => publish({ block: part }),
  };

  function publish(publication: Publication): void {
    if (state.publications !== undefined) Queue.offerUnsafe(state.publications, publication);
  }
});

const ASK_AGAIN_MS = 5_000;
const NO_HISTORY = { sinceMs: undefined, isComplete: false };
const NO_NOTES: ReadonlyMap<string, string> = new Map();

import type { PastBlock } from "@millrace/core";
import { Clock, Effect } from "effect";
import { decodeEntry, type FeedEntry } from "../bytes/entryBytes.ts";
import { FeedBytesError } from "../bytes/sealed.ts";
import { decodeFeedSnapshot, type FeedSnapshot } from "../bytes/snapshotBytes.ts";
import {
  type FeedLog,
  type FeedLogError,
  type FeedPosition,
  type FeedRecord,
  isAfter,
} from "../log/FeedLog.ts";
import { wholeBlock } from "../market/differenceOf.ts";
import { isSamePoint } from "../market/MarketPoint.ts";
import type { FeedState } from "./FeedState.ts";

interface Reading {
  readonly log: FeedLog;
  readonly chainId: number;
  readonly state: FeedState;
}

/**
 * Takes on what was published behind the newest entry that is here; waits so many ms for something.
 * False where that does not go on from here: the market has to begin with a snapshot then.
 */
export const readOn = Effect.fnUntraced(function* (
  { log, chainId, state }: Reading,
  waitMs: number,
): Effect.fn.Return<{ readonly count: number; readonly isSound: boolean }, FeedLogError> {
  const records = yield* log.read(state.position, waitMs);
  const nowMs = yield* Clock.currentTimeMillis;
  for (const record of records) {
    const entry = entryIn(record, chainId);
    const plan = entry === undefined ? undefined : state.planOf(entry);
    if (entry === undefined || plan === undefined) {
      // A server that has nothing yet refuses nothing.
      if (state.replica !== undefined) state.counts.refusedEntries++;
      return { count: records.length, isSound: false };
    }
    state.take(entry, plan, nowMs);
    state.heardAtMs = nowMs;
  }
  return { count: records.length, isSound: true };
});

/**
 * Makes the market that of the newest snapshot and the entries behind it, unless what is here is
 * newer. Gives whether it did.
 */
export const resync = Effect.fnUntraced(function* ({
  log,
  chainId,
  state,
}: Reading): Effect.fn.Return<boolean, FeedLogError> {
  const pieces = yield* log.loadSnapshot;
  const snapshot = pieces === undefined ? undefined : snapshotIn(pieces, chainId);
  if (snapshot === undefined) return false;
  const { replica } = snapshot;
  // Who has nothing yet begins with the snapshot's block, and takes each entry behind it by itself.
  const opening = state.replica === undefined ? wholeBlock(replica) : undefined;
  const behind: FeedEntry[] = [];
  let { position } = snapshot;
  for (let isMore = true; isMore; ) {
    const records = yield* log.read(position, 0);
    isMore = records.length > 0;
    for (const record of records) {
      const entry = entryIn(record, chainId);
      if (entry === undefined || !isSamePoint(entry.before, replica.point)) {
        isMore = false;
        break;
      }
      const plan = replica.plan(entry.block);
      if (plan.point.digest !== entry.digest) {
        isMore = false;
        break;
      }
      replica.commit(plan);
      replica.history = entry.history;
      for (const [name, text] of entry.notes) {
        if (text === "") replica.notes.delete(name);
        else replica.notes.set(name, text);
      }
      behind.push(entry);
      position = entry.position;
    }
  }
  if (state.replica !== undefined && isAfter(state.position, position)) return false;
  // Nothing came between the two.
  const isStanding =
    state.replica !== undefined &&
    isSamePlace(state.position, position) &&
    isSamePoint(state.replica.point, replica.point);
  if (isStanding) return false;
  if (opening === undefined) state.adopt({ ...snapshot, position }, pastOf(behind));
  else state.begin({ ...snapshot, position }, opening, behind);
  state.heardAtMs = yield* Clock.currentTimeMillis;
  return true;
});

function entryIn({ bytes, position }: FeedRecord, chainId: number): FeedEntry | undefined {
  try {
    const entry = decodeEntry(bytes);
    const isOwn = entry.chainId === chainId && isSamePlace(entry.position, position);
    return isOwn ? entry : undefined;
  } catch (cause) {
    if (cause instanceof FeedBytesError) return undefined;
    throw cause;
  }
}

function snapshotIn(pieces: ReadonlyArray<Uint8Array>, chainId: number): FeedSnapshot | undefined {
  try {
    const snapshot = decodeFeedSnapshot(pieces);
    return snapshot.chainId === chainId ? snapshot : undefined;
  } catch (cause) {
    if (cause instanceof FeedBytesError) return undefined;
    throw cause;
  }
}

const isSamePlace = (one: FeedPosition, other: FeedPosition): boolean =>
  one.epoch === other.epoch && one.sequence === other.sequence;

/** The swaps of entries that are not taken one by one, of the newest block first. */
function pastOf(entries: ReadonlyArray<FeedEntry>): ReadonlyArray<PastBlock> {
  const past: PastBlock[] = [];
  for (const entry of entries) collect(past, entry);
  return past;
}

/**
 * Adds an entry's swaps to those of the past. What has no swaps may have been the opening of a
 * market, or more of a block: its swaps come later, as those of a past one.
 */
function collect(past: PastBlock[], { block }: FeedEntry): void {
  const orphaned = new Set<string>(block.orphaned);
  for (let at = past.length - 1; at >= 0; at--) {
    if (orphaned.has(past[at]!.stamp.hash)) past.splice(at, 1);
  }
  const places = new Map(past.map(({ stamp }, at) => [stamp.hash, at]));
  const later: PastBlock[] = [];
  for (const published of [{ stamp: block.stamp, swaps: block.swaps }, ...(block.history ?? [])]) {
    const at = places.get(published.stamp.hash);
    if (at === undefined) later.push(published);
    else if (past[at]!.swaps.length === 0) past[at] = published;
  }
  if (later[0]?.stamp.hash === block.stamp.hash) past.unshift(later.shift()!);
  past.push(...later);
}

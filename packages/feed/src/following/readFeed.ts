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
 * Applies the entries after this server's position; waits up to so many ms for one. `isSound` is
 * false where an entry does not apply: the market then has to be read from a snapshot.
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
      // Before the first snapshot, entries that do not apply are normal.
      if (state.replica !== undefined) state.counts.refusedEntries++;
      return { count: records.length, isSound: false };
    }
    state.take(entry, plan, nowMs);
    state.heardAtMs = nowMs;
  }
  return { count: records.length, isSound: true };
});

/**
 * Replaces the market by the newest snapshot and the entries after it, unless this one is newer.
 * Gives whether it did.
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
  // A server without a market begins with the snapshot's block, and takes each later entry singly.
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
  // The market is already at this position.
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

/** The swaps of entries that are applied together, those of the newest block first. */
function pastOf(entries: ReadonlyArray<FeedEntry>): ReadonlyArray<PastBlock> {
  const past: PastBlock[] = [];
  for (const entry of entries) collect(past, entry);
  return past;
}

/**
 * Adds an entry's swaps to those of the past. A block without swaps may have been the opening of a
 * market, or a second entry about the block: its swaps then arrive later, as past ones.
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

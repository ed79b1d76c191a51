import type { BlockStamp, HistoryStatus, MarketBlock, PastBlock } from "@millrace/core";
import type { Queue } from "effect";
import type { FeedEntry } from "../bytes/entryBytes.ts";
import type { FeedSnapshot } from "../bytes/snapshotBytes.ts";
import {
  type BlockRange,
  type FeedPosition,
  isAfter,
  type Lease,
  LOG_START,
} from "../log/FeedLog.ts";
import { commonBlock, differenceOf } from "../market/differenceOf.ts";
import { isSamePoint } from "../market/MarketPoint.ts";
import type { MarketReplica, PlannedBlock } from "../market/MarketReplica.ts";
import { type RetoldRange, retoldIn } from "./retold.ts";

/** What a leader publishes: a block, or more about the newest block. */
export interface Publication {
  readonly block: MarketBlock | Pick<MarketBlock, "excludedFromTransit">;
  readonly notes?: ReadonlyMap<string, string>;
}

/** Blocks whose swaps this server may lack. */
interface Hole extends BlockRange {
  /** When the last block of the hole was made; the past is complete from then on. */
  readonly endMs: number;
  /** No entry after this position was skipped here. */
  readonly position: FeedPosition;
}

/** The attachment of a snapshot, and the block number up to which it counts. */
export interface TakenAttachment {
  readonly bytes: Uint8Array;
  readonly savedTo: number;
}

/** A server's copy of a feed; passes blocks on to the engine. */
export class FeedState {
  /** Undefined before the first block. */
  replica: MarketReplica | undefined;
  position: FeedPosition = LOG_START;
  lease: (Lease & { readonly untilMs: number }) | undefined;
  /** Waiting to be published; undefined unless this server leads. */
  publications: Queue.Queue<Publication> | undefined;
  emittedCount = 0;
  attachment: TakenAttachment | undefined;
  heardAtMs: number | undefined;
  lagMs: number | undefined;
  /** The published entries do not apply to this market, and no snapshot helps. */
  isStuck = false;
  holes: ReadonlyArray<Hole> = [];
  /** The newest block when the past was last complete here. */
  #pastTo = -1;
  readonly counts = {
    ...{ leases: 0, refusedEntries: 0, resyncs: 0 },
    ...{ publishedEntries: 0, savedSnapshots: 0, logFailures: 0 },
  };
  problem: string | undefined;
  readonly #emit: (block: MarketBlock) => void;
  readonly #listeners = new Set<(name: string, text: string) => void>();

  constructor(emit: (block: MarketBlock) => void) {
    this.#emit = emit;
  }

  onNote(listener: (name: string, text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The market after the entry; undefined where the entry does not apply to this one. */
  planOf({ position, before, digest, block }: FeedEntry): PlannedBlock | undefined {
    const { epoch, sequence } = this.position;
    const isNext =
      position.epoch === epoch ? position.sequence === sequence + 1 : position.epoch > epoch;
    if (this.replica === undefined || !isNext || !isSamePoint(before, this.replica.point)) {
      return undefined;
    }
    const plan = this.replica.plan(block);
    return plan.point.digest === digest ? plan : undefined;
  }

  /** Applies an entry, by a plan made for this market. */
  take(entry: FeedEntry, plan: PlannedBlock, nowMs: number): void {
    const replica = this.replica!;
    const isNewEpoch = entry.position.epoch !== this.position.epoch;
    // The next leader may know swaps that never arrived here, and does not publish them again.
    if (isNewEpoch && replica.history?.isComplete === false && replica.stamp.number > this.#pastTo)
      this.#miss(this.#pastTo, replica.stamp, this.position);
    const former = entry.block.orphaned?.length ? [...replica.line] : undefined;
    replica.commit(plan);
    this.position = entry.position;
    replica.history = entry.history;
    if (former !== undefined) this.#pastTo = Math.min(this.#pastTo, newestOfBoth(former, replica));
    this.#notePast(replica);
    this.lagMs = Math.max(0, nowMs - entry.publishedAtMs);
    this.#send(entry.block);
    this.#note(entry.notes);
    const range = retoldIn(entry.notes);
    if (range !== undefined) this.#retold(range);
  }

  /** Begins with the block of a snapshot and the entries after it. */
  begin(
    { replica, position, attachment, standsAt }: FeedSnapshot,
    opening: MarketBlock,
    behind: ReadonlyArray<FeedEntry>,
  ): void {
    this.#send(opening);
    for (const { block } of behind) this.#send(block);
    this.attachment = attachment && { bytes: attachment, savedTo: standsAt.number };
    this.#stand(replica, position);
  }

  /**
   * Replaces the market by that of a snapshot and the entries after it, in one block. Blocks in
   * between whose swaps are unknown become a hole.
   */
  adopt({ replica, position, standsAt }: FeedSnapshot, past: ReadonlyArray<PastBlock>): void {
    const former = this.replica!;
    this.counts.resyncs++;
    // The skipped entries may have filled former holes.
    this.holes = this.holes.map((hole) => ({ ...hole, position }));
    const isRetold = replica.history !== undefined;
    const known = Math.min(newestOfBoth(former.line, replica), this.#pastTo);
    if (isRetold && standsAt.number > known) this.#miss(known, standsAt, position);
    const block = differenceOf(former, replica, isRetold);
    this.#send(withPast(block, past));
    // Hashes of older blocks are kept: their swaps may still have to be reverted.
    const orphaned = new Set<string>(block.orphaned);
    const first = replica.line[0]!.number;
    const older = former.line.filter(({ number, hash }) => number < first && !orphaned.has(hash));
    replica.rememberLine([...older, ...replica.line]);
    this.#stand(replica, position);
  }

  #stand(replica: MarketReplica, position: FeedPosition): void {
    const former = this.replica?.notes ?? new Map<string, string>();
    this.replica = replica;
    this.position = position;
    this.#notePast(replica);
    const notes = new Map(replica.notes);
    for (const name of former.keys()) if (!notes.has(name)) notes.set(name, "");
    replica.notes.clear();
    for (const [name, text] of former) replica.notes.set(name, text);
    this.#note(notes);
  }

  /** The published history, less what this server missed. */
  history(): HistoryStatus | undefined {
    const known = this.replica?.history;
    if (known === undefined || this.holes.length === 0) return known;
    const endMs = Math.max(...this.holes.map((hole) => hole.endMs));
    return { isComplete: false, sinceMs: Math.max(endMs, known.sinceMs ?? 0) };
  }

  /**
   * The swaps of these blocks have been published again, and this server received them all: closes
   * the holes among them.
   */
  #retold({ fromBlock, toBlock, since }: RetoldRange): void {
    this.holes = this.holes.filter(
      (hole) =>
        hole.fromBlock < fromBlock || hole.toBlock > toBlock || isAfter(hole.position, since),
    );
  }

  #miss(known: number, next: BlockStamp, position: FeedPosition): void {
    const range = { fromBlock: known + 1, toBlock: next.number };
    const others = this.holes.filter(
      (hole) => hole.fromBlock < range.fromBlock || hole.toBlock > range.toBlock,
    );
    this.holes = [...others, { ...range, endMs: next.timestampMs, position }];
  }

  #notePast({ history, stamp }: MarketReplica): void {
    if (history?.isComplete === true) this.#pastTo = stamp.number;
  }

  #send(block: MarketBlock): void {
    this.emittedCount++;
    this.#emit(block);
  }

  #note(notes: ReadonlyMap<string, string>): void {
    for (const [name, text] of notes) {
      if ((this.replica!.notes.get(name) ?? "") === text) continue;
      if (text === "") this.replica!.notes.delete(name);
      else this.replica!.notes.set(name, text);
      for (const listener of [...this.#listeners]) listener(name, text);
    }
  }
}

/**
 * The number of the newest block in both lines; the one before the first line where they share
 * none.
 */
const newestOfBoth = (line: ReadonlyArray<BlockStamp>, { line: other }: MarketReplica): number =>
  commonBlock(line, other)?.number ?? line[0]!.number - 1;

/** The block with its own swaps and those of past blocks, newest first. */
function withPast(block: MarketBlock, past: ReadonlyArray<PastBlock>): MarketBlock {
  const [newest, ...others] = past;
  if (newest === undefined) return block;
  if (newest.stamp.hash !== block.stamp.hash) return { ...block, history: past };
  return { ...block, swaps: newest.swaps, history: others };
}

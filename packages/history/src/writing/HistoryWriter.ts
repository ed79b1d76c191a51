import { Effect } from "effect";
import type { HistoryChange, HistoryError, HistoryStore } from "../HistoryStore.ts";

/** How the writing of a history goes. */
export interface WriterStatus {
  /** Swaps that wait to be written. */
  readonly waitingSwaps: number;
  /** For how long the oldest change has waited; 0 when none does. */
  readonly behindMs: number;
  /** Number of the newest block that was written; undefined before there is one. */
  readonly writtenBlock: number | undefined;
  /** Writes that failed, and were tried again; and why the last one did, until one succeeds. */
  readonly failures: number;
  readonly problem: HistoryError | undefined;
  /** Blocks that found no room to wait. */
  readonly droppedBlocks: number;
}

export interface HistoryWriterOptions {
  readonly store: Pick<HistoryStore, "write">;
  /** Swaps that may wait; 100,000 without it, about 60 MB. */
  readonly swapsMax?: number;
  /** Told of the first of several failures in a row, and when writing goes on. */
  readonly onProblem?: (problem: HistoryError | undefined) => Effect.Effect<void>;
}

const SWAPS_MAX = 100_000;
/** One write takes so many swaps, about; more together cost less each. */
const BATCH_SWAPS = 2_000;
/** What comes within this time is written together: a write waits for the disk. */
const GATHER_MS = 50;
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 10_000;

interface WaitingChange {
  readonly change: HistoryChange;
  readonly sinceMs: number;
}

/**
 * Writes changes to a store in the order in which they come, in the background: whoever has some
 * never waits. A write that fails is tried again until it succeeds; changes wait meanwhile, as many
 * as there is room for. What the store calls impossible is left out, alone.
 */
export class HistoryWriter {
  readonly #store: Pick<HistoryStore, "write">;
  readonly #swapsMax: number;
  readonly #onProblem: (problem: HistoryError | undefined) => Effect.Effect<void>;
  #waiting: WaitingChange[] = [];
  #waitingSwaps = 0;
  #writtenBlock: number | undefined;
  #failures = 0;
  #problem: HistoryError | undefined;
  #droppedBlocks = 0;
  #isWriting = false;

  constructor({ store, swapsMax = SWAPS_MAX, onProblem }: HistoryWriterOptions) {
    this.#store = store;
    this.#swapsMax = swapsMax;
    this.#onProblem = onProblem ?? (() => Effect.void);
  }

  /** False where there is no room for a block: it is not written. */
  offer(change: HistoryChange, nowMs: number): boolean {
    const swaps = swapsOf(change);
    if (swaps > 0 && this.#waitingSwaps > 0 && this.#waitingSwaps + swaps > this.#swapsMax) {
      this.#droppedBlocks++;
      return false;
    }
    this.#waiting.push({ change, sinceMs: nowMs });
    this.#waitingSwaps += swaps;
    return true;
  }

  /** There is room for more than what comes by itself: blocks of the past are welcome. */
  get hasRoom(): boolean {
    return this.#waitingSwaps < this.#swapsMax / 4;
  }

  /** Swaps that wait to be written of blocks newer than all that were written. */
  waitingAhead(): number {
    const written = this.#writtenBlock ?? Number.NEGATIVE_INFINITY;
    let swaps = 0;
    for (const { change } of this.#waiting) {
      if (change.kind === "block" && change.block.stamp.number > written) swaps += swapsOf(change);
    }
    return swaps;
  }

  status(nowMs: number): WriterStatus {
    const [oldest] = this.#waiting;
    return {
      waitingSwaps: this.#waitingSwaps,
      behindMs: oldest === undefined ? 0 : Math.max(0, nowMs - oldest.sinceMs),
      writtenBlock: this.#writtenBlock,
      failures: this.#failures,
      problem: this.#problem,
      droppedBlocks: this.#droppedBlocks,
    };
  }

  /** Writes whatever comes, for ever. */
  readonly run: Effect.Effect<never> = Effect.forever(
    Effect.andThen(
      Effect.sleep(GATHER_MS),
      Effect.suspend(() => this.#drain()),
    ),
  );

  /** Writes what waits, once: what fails then is lost, and a gap. */
  readonly finish: Effect.Effect<void, HistoryError> = Effect.suspend(() => this.#drain(true));

  #drain(isLast = false): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      let failures = 0;
      while (this.#waiting.length > 0 && !this.#isWriting) {
        const batch = this.#nextBatch();
        this.#isWriting = true;
        const outcome = yield* Effect.result(this.#store.write(batch)).pipe(
          Effect.ensuring(Effect.sync(() => (this.#isWriting = false))),
        );
        let problem = outcome._tag === "Failure" ? outcome.failure : undefined;
        if (problem === undefined) yield* this.#written(batch);
        else if (problem.reason === "Invalid") problem = yield* this.#writeSingly(batch);
        if (problem === undefined) {
          failures = 0;
          continue;
        }
        yield* this.#failed(problem);
        if (isLast) return;
        const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** failures++);
        yield* Effect.sleep(waitMs);
      }
    });
  }

  #nextBatch(): HistoryChange[] {
    const batch: HistoryChange[] = [];
    let swaps = 0;
    for (const { change } of this.#waiting) {
      swaps += swapsOf(change);
      if (batch.length > 0 && swaps > BATCH_SWAPS) break;
      batch.push(change);
    }
    return batch;
  }

  #written(batch: ReadonlyArray<HistoryChange>): Effect.Effect<void> {
    this.#waiting = this.#waiting.slice(batch.length);
    for (const change of batch) {
      this.#waitingSwaps -= swapsOf(change);
      if (change.kind !== "block") continue;
      const { number } = change.block.stamp;
      this.#writtenBlock = Math.max(this.#writtenBlock ?? number, number);
    }
    if (this.#problem === undefined) return Effect.void;
    this.#problem = undefined;
    return this.#onProblem(undefined);
  }

  /** Of a batch with something impossible in it, all but that; why the rest was not, if so. */
  #writeSingly(batch: ReadonlyArray<HistoryChange>): Effect.Effect<HistoryError | undefined> {
    return Effect.gen({ self: this }, function* () {
      for (const change of batch) {
        const outcome = yield* Effect.result(this.#store.write([change]));
        if (outcome._tag === "Failure") {
          if (outcome.failure.reason !== "Invalid") return outcome.failure;
          yield* this.#failed(outcome.failure);
          this.#droppedBlocks++;
        }
        yield* this.#written([change]);
      }
      return undefined;
    });
  }

  #failed(problem: HistoryError): Effect.Effect<void> {
    this.#failures++;
    const isNew = this.#problem === undefined;
    this.#problem = problem;
    return isNew ? this.#onProblem(problem) : Effect.void;
  }
}

/** What a swap that waits takes, about: a state counts as so many swaps. */
const SWAP_BYTES = 600;

const swapsOf = (change: HistoryChange): number => {
  if (change.kind === "state") return Math.ceil(change.state.bytes.length / SWAP_BYTES);
  return change.kind === "block" ? change.block.swaps.length : 0;
};

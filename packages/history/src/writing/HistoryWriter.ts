import { Effect } from "effect";
import type { HistoryChange, HistoryError, HistoryStore } from "../HistoryStore.ts";

/** The state of a history's writing. */
export interface WriterStatus {
  /** Swaps waiting to be written. */
  readonly waitingSwaps: number;
  /** How long the oldest change has waited; 0 when none waits. */
  readonly behindMs: number;
  /** Number of the newest written block; undefined before the first. */
  readonly writtenBlock: number | undefined;
  /**
   * Failed writes, which were tried again; and the reason of the last failure, until a write
   * succeeds.
   */
  readonly failures: number;
  readonly problem: HistoryError | undefined;
  /** Blocks without room to wait, and changes that the store called invalid. */
  readonly droppedBlocks: number;
}

export interface HistoryWriterOptions {
  readonly store: Pick<HistoryStore, "write">;
  /** Number of swaps that may wait; default: 100,000, about 60 MB. */
  readonly swapsMax?: number;
  /** Called at the first of several failures in a row, and when writing goes on. */
  readonly onProblem?: (problem: HistoryError | undefined) => Effect.Effect<void>;
}

const SWAPS_MAX = 100_000;
/** About the number of swaps in one write; larger batches cost less per swap. */
const BATCH_SWAPS = 2_000;
/** Changes within this time are written together, since each write waits for the disk. */
const GATHER_MS = 50;
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 10_000;

interface WaitingChange {
  readonly change: HistoryChange;
  readonly sinceMs: number;
}

/**
 * Writes changes to a store in the background, in the order in which they come; callers never wait.
 * A failed write is repeated until it succeeds; changes wait meanwhile, as far as there is room. A
 * change that the store calls invalid is dropped on its own.
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

  /** There is room for more than the blocks at the head: blocks of the past are welcome. */
  get hasRoom(): boolean {
    return this.#waitingSwaps < this.#swapsMax / 4;
  }

  /** Swaps waiting to be written in blocks newer than all written ones. */
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

  /** Writes changes as they come, for ever. */
  readonly run: Effect.Effect<never> = Effect.forever(
    Effect.andThen(
      Effect.sleep(GATHER_MS),
      Effect.suspend(() => this.#drain()),
    ),
  );

  /** Writes the waiting changes, once; what fails now is lost and leaves a gap. */
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
    this.#takeOut(batch);
    for (const change of batch) {
      if (change.kind !== "block") continue;
      const { number } = change.block.stamp;
      this.#writtenBlock = Math.max(this.#writtenBlock ?? number, number);
    }
    if (this.#problem === undefined) return Effect.void;
    this.#problem = undefined;
    return this.#onProblem(undefined);
  }

  #takeOut(batch: ReadonlyArray<HistoryChange>): void {
    this.#waiting = this.#waiting.slice(batch.length);
    for (const change of batch) this.#waitingSwaps -= swapsOf(change);
  }

  /**
   * Writes a batch with an invalid change one by one, without that change; gives the reason when a
   * later write fails for another reason.
   */
  #writeSingly(batch: ReadonlyArray<HistoryChange>): Effect.Effect<HistoryError | undefined> {
    return Effect.gen({ self: this }, function* () {
      for (const change of batch) {
        const outcome = yield* Effect.result(this.#store.write([change]));
        if (outcome._tag === "Success") {
          yield* this.#written([change]);
          continue;
        }
        if (outcome.failure.reason !== "Invalid") return outcome.failure;
        yield* this.#failed(outcome.failure);
        this.#droppedBlocks++;
        this.#takeOut([change]);
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

/** About what a waiting swap takes; a state counts as a number of swaps. */
const SWAP_BYTES = 600;

const swapsOf = (change: HistoryChange): number => {
  if (change.kind === "state") return Math.ceil(change.state.bytes.length / SWAP_BYTES);
  return change.kind === "block" ? change.block.swaps.length : 0;
};

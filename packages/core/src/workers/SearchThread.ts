import { Worker } from "node:worker_threads";
import type { PoolGraph } from "../graph/PoolGraph.ts";
import { GraphPublisher } from "./GraphPublisher.ts";
import type { SearchMessage, SearchReply, SearchTask, SearchWorkerData } from "./messages.ts";

// Sources run as they are; in the package, they are JavaScript.
const ENTRY = import.meta.url.endsWith(".ts")
  ? new URL("./searchWorker.ts", import.meta.url)
  : new URL("./searchWorker.js", import.meta.url);

/**
 * A search on torn numbers may take any time. Once it is known to be in vain, it may go on for so
 * long; then its thread is ended. A new thread costs a fifth of a second.
 */
const VAIN_SEARCH_MS = 1_000;
/**
 * Searches allocate little: without a limit, a thread's young generation would grow to 48 MB for
 * nothing.
 */
const YOUNG_GENERATION_MB = 6;

/** The outcome of a search, seen from outside its thread; see `SearchReply`. */
export type SearchOutcome =
  | Exclude<SearchReply, { readonly kind: "ready" }>
  /** The thread has ended. */
  | { readonly kind: "gone" };

/** A thread that searches this thread's graph, one task at a time. */
export class SearchThread {
  /** Resolves when the thread can search; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #publisher: GraphPublisher;
  #reason: unknown;
  #done: ((outcome: SearchOutcome) => void) | undefined;
  #watch: NodeJS.Timeout | undefined;

  /** `ended` is called once, when the thread is gone, with the reason. */
  constructor(graph: PoolGraph, data: SearchWorkerData, ended: (reason: unknown) => void) {
    this.#publisher = new GraphPublisher(graph);
    this.#worker = new Worker(ENTRY, {
      workerData: data,
      name: "millrace search",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on("error", (error) => {
      this.#reason = error;
    });
    this.#worker.on("messageerror", (error) => void this.end(error));
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (reply: SearchReply) => {
        if (reply.kind === "ready") resolve();
        else this.#finish(this.#judged(reply));
      });
      this.#worker.on("exit", (code) => {
        const reason = this.#reason ?? new Error(`it ended with code ${code}`);
        reject(reason);
        ended(reason);
        this.#finish({ kind: "gone" });
      });
    });
  }

  /** Searches; the search before must be done. Throws for a task that cannot be posted. */
  search(task: SearchTask, done: (outcome: SearchOutcome) => void): void {
    const update = this.#publisher.next();
    if (update !== undefined) this.#post({ kind: "update", update });
    this.#post({ kind: "search", task });
    this.#done = done;
    this.#watch = setInterval(() => {
      if (!this.#publisher.isCurrent) void this.end(new Error("it did not end a search in vain"));
    }, VAIN_SEARCH_MS);
  }

  /** Ends the thread, whatever it does; resolves when it is gone. */
  async end(reason?: unknown): Promise<void> {
    this.#reason = reason;
    await this.#worker.terminate();
  }

  #post(message: SearchMessage): void {
    this.#worker.postMessage(message);
  }

  /** An answer that arrives after another block is no longer of the newest. */
  #judged(outcome: SearchOutcome): SearchOutcome {
    return outcome.kind === "answer" && !this.#publisher.isCurrent ? { kind: "torn" } : outcome;
  }

  #finish(outcome: SearchOutcome): void {
    clearInterval(this.#watch);
    const done = this.#done;
    this.#done = undefined;
    done?.(outcome);
  }
}

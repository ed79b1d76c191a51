import { quoteExplained } from "../explain/explainQuote.ts";
import type { OpenMarket } from "../openMarket.ts";
import type { SearchResult, SearchTask, SearchWorkerData } from "./messages.ts";
import { type SearchOutcome, SearchThread } from "./SearchThread.ts";

/** How often threads search for a task that blocks keep interrupting, before they give up. */
const TRIES_MAX = 3;
/** A thread that ended is replaced after a delay, so that one that keeps failing costs little. */
const REPLACE_AFTER_MS = 200;

/** Outcomes of searches since the start. */
export interface SearchCounts {
  /** Answers of threads. */
  readonly answered: number;
  /** Searches discarded because a block came meanwhile. */
  readonly torn: number;
  /** Quotes that the caller's own thread searched: too many tries, or no thread available. */
  readonly searchedHere: number;
  /** Threads that ended by themselves, or had to be ended. */
  readonly lost: number;
}

/**
 * The outcome of a task: a result, or the defect that ended the search. Without a result nobody has
 * searched: too many tries, or no thread available, and the task would block the caller's thread
 * for long.
 */
export type Searched = { readonly result: SearchResult | undefined } | { readonly defect: unknown };

interface PendingSearch {
  readonly task: SearchTask;
  readonly done: (searched: Searched) => void;
  tries: number;
  isWanted: boolean;
}

/** Distributes searches among threads, first come, first served. */
export class SearchPool {
  readonly #market: OpenMarket;
  readonly #data: SearchWorkerData;
  readonly #lost: (reason: unknown) => void;
  // A thread is in #threads while it lives; once it can search, it is idle or busy.
  readonly #threads = new Set<SearchThread>();
  readonly #idle = new Set<SearchThread>();
  readonly #busy = new Set<SearchThread>();
  readonly #replacements = new Set<NodeJS.Timeout>();
  readonly #counts = { answered: 0, torn: 0, searchedHere: 0, lost: 0 };
  #waiting: PendingSearch[] = [];
  #isRunning = false;

  /** `lost` is called with the reason for every thread that ended other than by `close`. */
  constructor(market: OpenMarket, curvesModule: URL, lost: (reason: unknown) => void) {
    const { chainId, curveNames } = market.graph;
    const { gasLimit } = market.options;
    this.#market = market;
    this.#data = { chainId, curveNames, curvesModule: curvesModule.href, gasLimit };
    this.#lost = lost;
  }

  get counts(): SearchCounts {
    return { ...this.#counts };
  }

  /** Tasks that no thread has taken yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Starts threads, which search once all are ready; if one cannot start, ends all and rejects. */
  async start(count: number): Promise<void> {
    try {
      await Promise.all(Array.from({ length: count }, () => this.#startThread().ready));
      this.#isRunning = true;
      this.#handOut();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Ends all threads; their tasks are searched here. Resolves when the threads are gone. */
  async close(): Promise<void> {
    this.#isRunning = false;
    for (const timeout of this.#replacements) clearTimeout(timeout);
    await Promise.all(Array.from(this.#threads, (thread) => thread.end()));
  }

  /** Has a task searched. `done` is called once, unless the returned function is called before. */
  search(task: SearchTask, done: (searched: Searched) => void): () => void {
    const search = { task, done, tries: 0, isWanted: true };
    this.#waiting.push(search);
    this.#handOut();
    return () => {
      search.isWanted = false;
      this.#waiting = this.#waiting.filter((other) => other !== search);
    };
  }

  #startThread(): SearchThread {
    const thread = new SearchThread(this.#market.graph, this.#data, (reason) =>
      this.#gone(thread, reason),
    );
    this.#threads.add(thread);
    thread.ready.then(
      () => this.#freed(thread),
      () => {}, // it reports its own end
    );
    return thread;
  }

  #freed(thread: SearchThread): void {
    this.#busy.delete(thread);
    if (this.#threads.has(thread)) this.#idle.add(thread);
    this.#handOut();
  }

  #gone(thread: SearchThread, reason: unknown): void {
    this.#threads.delete(thread);
    this.#idle.delete(thread);
    if (!this.#isRunning) return;
    this.#counts.lost++;
    this.#lost(reason);
    const timeout = setTimeout(() => {
      this.#replacements.delete(timeout);
      this.#startThread();
    }, REPLACE_AFTER_MS);
    this.#replacements.add(timeout);
  }

  #handOut(): void {
    for (const thread of this.#isRunning ? this.#idle : []) {
      const search = this.#waiting.shift();
      if (search === undefined) return;
      this.#ask(thread, search);
    }
    const isHopeless = !this.#isRunning || this.#idle.size + this.#busy.size === 0;
    if (isHopeless && this.#waiting.length > 0) setImmediate(() => this.#searchWaiting());
  }

  #ask(thread: SearchThread, search: PendingSearch): void {
    try {
      thread.search(search.task, (outcome) => {
        this.#take(search, outcome);
        this.#freed(thread);
      });
      this.#idle.delete(thread);
      this.#busy.add(thread);
    } catch (defect) {
      search.done({ defect });
    }
  }

  #take(search: PendingSearch, outcome: SearchOutcome): void {
    if (outcome.kind === "torn") this.#counts.torn++;
    if (outcome.kind === "answer") this.#counts.answered++;
    if (!search.isWanted) return;
    if (outcome.kind === "answer") return search.done({ result: outcome.result });
    if (outcome.kind === "defect") return search.done({ defect: outcome.error });
    search.tries++;
    if (search.tries < TRIES_MAX) this.#waiting.unshift(search);
    else this.#leaveOrSearchHere(search);
  }

  /** One per turn of the event loop: there is no thread, and there may be many tasks. */
  #searchWaiting(): void {
    const search = this.#waiting.shift();
    if (search === undefined) return;
    this.#leaveOrSearchHere(search);
    this.#handOut();
  }

  #leaveOrSearchHere({ done, task }: PendingSearch): void {
    if (task.kind === "cycles") return done({ result: undefined });
    this.#counts.searchedHere++;
    let searched: Searched;
    try {
      // Tasks were checked when they came. Pools may have come or gone since.
      const result =
        task.kind === "quote"
          ? this.#market.router.quoteChecked(task.request)
          : quoteExplained(this.#market, task.request);
      searched = { result };
    } catch (defect) {
      searched = { defect };
    }
    done(searched);
  }
}

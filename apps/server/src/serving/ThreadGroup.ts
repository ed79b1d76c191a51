import type { ServingThread, ThreadHost } from "./ServingThread.ts";

/** A lost thread is replaced after a delay, so that one that always fails costs little. */
const REPLACE_AFTER_MS = 200;
const REPLACE_AFTER_MAX_MS = 10_000;

type ThreadHooks = Pick<ThreadHost, "counted" | "ended">;

interface GroupHost {
  readonly count: number;
  readonly start: (index: number, hooks: ThreadHooks) => ServingThread;
  /** Tells a new thread all that is known. */
  readonly tell: (thread: ServingThread) => void;
  /** How many threads serve now, and how many ended unasked. */
  readonly counted: (serving: number, lost: number) => void;
  readonly lost: (index: number, reason: unknown) => void;
}

/** The serving threads; one that ends unasked is replaced. */
export class ThreadGroup {
  readonly #host: GroupHost;
  readonly #threads = new Set<ServingThread>();
  readonly #serving = new Set<ServingThread>();
  readonly #replacements = new Set<NodeJS.Timeout>();
  /** Threads in a row that ended before they listened. */
  #failedCount = 0;
  #lostCount = 0;
  #isRunning = false;
  #isEnded = false;

  constructor(host: GroupHost) {
    this.#host = host;
  }

  /** The threads that run. */
  get threads(): Iterable<ServingThread> {
    return this.#threads;
  }

  /** Resolves when all threads listen; rejects where one cannot, after all have ended. */
  async start(): Promise<void> {
    const indexes = Array.from({ length: this.#host.count }, (_, index) => index);
    try {
      await Promise.all(indexes.map((index) => this.#start(index).listening));
      this.#isRunning = true;
    } catch (error) {
      await this.end(0);
      throw error;
    }
  }

  /** Lets all threads finish requests in flight, for so long; resolves when they are gone. */
  async end(patienceMs: number): Promise<void> {
    this.#isEnded = true;
    for (const timeout of this.#replacements) clearTimeout(timeout);
    const threads = [...this.#threads];
    for (const thread of threads) thread.leave();
    const late = Promise.withResolvers<void>();
    const timeout = setTimeout(late.resolve, Math.max(patienceMs, END_MS_MIN));
    await Promise.race([Promise.all(threads.map(({ gone }) => gone)), late.promise]);
    clearTimeout(timeout);
  }

  #start(index: number): ServingThread {
    const thread = this.#host.start(index, { counted: this.#addressCounted, ended: this.#ended });
    this.#threads.add(thread);
    thread.listening.then(
      () => {
        this.#failedCount = 0;
        this.#serving.add(thread);
        this.#tellCounts();
      },
      () => {}, // ended, which it says itself
    );
    this.#host.tell(thread);
    for (const other of this.#threads) {
      for (const address of other.addresses) this.#tellCount(thread, address);
    }
    return thread;
  }

  readonly #ended = (thread: ServingThread, reason: unknown): void => {
    this.#threads.delete(thread);
    const hasListened = this.#serving.delete(thread);
    // During the start, a thread that never listens ends all threads.
    if (this.#isEnded || !(this.#isRunning || hasListened)) return;
    this.#lostCount++;
    this.#tellCounts();
    this.#host.lost(thread.index, reason);
    const afterMs = Math.min(REPLACE_AFTER_MAX_MS, REPLACE_AFTER_MS * 2 ** this.#failedCount++);
    const timeout = setTimeout(() => {
      this.#replacements.delete(timeout);
      this.#start(thread.index);
    }, afterMs);
    this.#replacements.add(timeout);
  };

  #tellCounts(): void {
    this.#host.counted(this.#serving.size, this.#lostCount);
  }

  readonly #addressCounted = (thread: ServingThread, address: string): void => {
    for (const other of this.#threads) if (other !== thread) this.#tellCount(other, address);
  };

  /** Tells a thread how many WebSockets an address has open on all others. */
  #tellCount(thread: ServingThread, address: string): void {
    let count = 0;
    for (const other of this.#threads) if (other !== thread) count += other.openOf(address);
    thread.post({ kind: "address", address, count });
  }
}

/** For a thread that has nothing to finish. */
const END_MS_MIN = 2_000;

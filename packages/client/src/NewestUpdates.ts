import type { StateMessage, StreamConnection, StreamRefused } from "./StreamConnection.ts";
import type { Update } from "./Update.ts";

export interface UpdatesOptions<A> {
  /** Joins what a reader has not taken yet with what is newer; else the newer replaces it. */
  readonly join?: (older: A, newer: A) => A;
  /** Told every message when it comes, and undefined when nothing is known any more. */
  readonly observe?: (message: StateMessage | undefined, by: object) => void;
}

/**
 * The updates of one subscription for one reader, who always gets the newest: what comes while the
 * reader is busy replaces what has not been read, and counts as missed.
 */
export class NewestUpdates<A> implements AsyncIterableIterator<Update<A>, undefined> {
  readonly #join: (older: A, newer: A) => A;
  readonly #observe: (message: StateMessage | undefined, by: object) => void;
  readonly #unsubscribe: () => void;
  /** Not read yet. */
  #pending: Update<A> | undefined;
  #isNextFirst = true;
  #isLost = false;
  #seq = 0;
  #refusal: StreamRefused | undefined;
  #isDone = false;
  #waiting: Array<PromiseWithResolvers<IteratorResult<Update<A>, undefined>>> = [];

  constructor(connection: StreamConnection, request: object, options: UpdatesOptions<A> = {}) {
    const { join = (_, newer) => newer, observe = () => {} } = options;
    this.#join = join;
    this.#observe = observe;
    this.#unsubscribe = connection.subscribe(request, {
      told: (message) => this.#told(message),
      refused: (refusal) => this.#end(refusal),
      lost: () => {
        this.#isLost = true;
        observe(undefined, this);
      },
      closed: () => this.#end(undefined),
    });
  }

  next(): Promise<IteratorResult<Update<A>, undefined>> {
    const update = this.#pending;
    if (update !== undefined) {
      this.#pending = undefined;
      return Promise.resolve({ done: false, value: update });
    }
    if (this.#refusal !== undefined) {
      const refusal = this.#refusal;
      this.#refusal = undefined;
      return Promise.reject(refusal);
    }
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined });
    const waiting = Promise.withResolvers<IteratorResult<Update<A>, undefined>>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Unsubscribes; also called when a `for await` is left. */
  return(): Promise<IteratorResult<Update<A>, undefined>> {
    this.#end(undefined);
    this.#pending = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #told(message: StateMessage): void {
    if (this.#isDone) return;
    this.#observe(message, this);
    const { blockNumber, blockHash, timestamp, sentAt, seq } = message;
    const data = message.data as A;
    const skipped = message.op === "snapshot" ? 0 : seq - this.#seq - 1;
    this.#seq = seq;
    const update: Update<A> = {
      ...{ data, blockNumber, blockHash, timestamp, sentAt },
      // Across a lost connection nobody can tell.
      reorg: message.op === "update" && message.reorg === true,
      missed: this.#isLost && !this.#isNextFirst ? -1 : skipped,
    };
    this.#isLost = false;
    this.#isNextFirst = false;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) waiting.resolve({ done: false, value: update });
    else this.#pending = this.#pending === undefined ? update : this.#joined(this.#pending, update);
  }

  #joined(older: Update<A>, newer: Update<A>): Update<A> {
    const isUnknown = older.missed < 0 || newer.missed < 0;
    return {
      ...newer,
      data: this.#join(older.data, newer.data),
      reorg: older.reorg || newer.reorg,
      missed: isUnknown ? -1 : older.missed + newer.missed + 1,
    };
  }

  #end(refusal: StreamRefused | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#observe(undefined, this);
    this.#unsubscribe();
    const [first, ...others] = this.#waiting.splice(0);
    if (refusal === undefined) first?.resolve({ done: true, value: undefined });
    else if (first === undefined) this.#refusal = refusal;
    else first.reject(refusal);
    for (const waiting of others) waiting.resolve({ done: true, value: undefined });
  }
}

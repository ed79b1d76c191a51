import type { StateMessage } from "./readMessage.ts";
import type { StreamConnection } from "./StreamConnection.ts";
import { type StreamError, StreamMalformed } from "./streamErrors.ts";
import type { Update } from "./Update.ts";

/** What a subscription asks for, and how its data is checked and joined. */
export interface SubscriptionTopic<A> {
  /** The subscribe operation without `op` and `id`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly isData: (data: unknown) => data is A;
  /**
   * Joins data that the reader has not taken yet with newer data. Without it the newer replaces the
   * older. `isWhole`: the newer data is complete by itself, as a snapshot or after a
   * reorganisation.
   */
  readonly join?: (older: A, newer: A, isWhole: boolean) => A;
}

/** Called when a reading subscribes, and when it is over. */
export interface ReadingListener {
  readonly began: () => void;
  readonly ended: () => void;
}

type Result<A> = IteratorResult<Update<A>, undefined>;

/**
 * The updates of one subscription for one reader. The reader always gets the newest: an update that
 * arrives while the reader is busy replaces the unread one, which counts as missed. Subscribes at
 * the first `next`.
 */
export class NewestUpdates<A> implements AsyncIterableIterator<Update<A>, undefined> {
  readonly #connection: StreamConnection;
  readonly #topic: SubscriptionTopic<A>;
  readonly #listener: ReadingListener | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The last message, on this connection or an earlier one. */
  #last: StateMessage | undefined;
  #newest: A | undefined;
  /** The connection was lost after the last message. */
  #isLost = false;
  /** The update that the reader has not taken yet. */
  #pending: Update<A> | undefined;
  #failure: StreamError | undefined;
  #isDone = false;
  #waiting: PromiseWithResolvers<Result<A>> | undefined;

  constructor(
    connection: StreamConnection,
    topic: SubscriptionTopic<A>,
    listener?: ReadingListener,
  ) {
    this.#connection = connection;
    this.#topic = topic;
    this.#listener = listener;
  }

  /** The newest value, read or not; undefined while the connection is lost. */
  get newest(): A | undefined {
    return this.#newest;
  }

  /**
   * Rejects once with a `StreamError`; the iteration is done then. A second call before the first
   * has settled returns the same promise.
   */
  next(): Promise<Result<A>> {
    if (this.#waiting !== undefined) return this.#waiting.promise;
    this.#start();
    const update = this.#pending;
    if (update !== undefined) {
      this.#pending = undefined;
      return Promise.resolve({ done: false, value: update });
    }
    const failure = this.#failure;
    if (failure !== undefined) {
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined });
    this.#waiting = Promise.withResolvers<Result<A>>();
    return this.#waiting.promise;
  }

  /** Unsubscribes; leaving a `for await` calls it too. */
  return(): Promise<Result<A>> {
    this.#end(undefined);
    this.#pending = undefined;
    this.#failure = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(): void {
    if (this.#unsubscribe !== undefined || this.#isDone) return;
    this.#listener?.began();
    const unsubscribe = this.#connection.subscribe(this.#topic.request, {
      received: (message) => this.#received(message),
      refused: (refusal) => this.#end(refusal),
      lost: () => {
        this.#isLost = true;
        this.#newest = undefined;
      },
      closed: () => this.#end(undefined),
    });
    this.#unsubscribe = unsubscribe;
    // The server may have refused at once.
    if (this.#isDone) unsubscribe();
  }

  #received(message: StateMessage): void {
    const { data, blockNumber, blockHash, timestamp, sentAt } = message;
    if (!this.#topic.isData(data)) {
      this.#end(new StreamMalformed("the data of a message is not of the channel"));
      return;
    }
    const update: Update<A> = {
      data,
      blockNumber,
      blockHash,
      timestamp,
      sentAt,
      unpaid: message.op === "update" ? (message.unpaid ?? 0) : 0,
      ...this.#gapBefore(message),
    };
    this.#last = message;
    this.#newest = data;
    this.#isLost = false;
    const waiting = this.#waiting;
    if (waiting === undefined) {
      const isWhole = message.op === "snapshot" || message.reorg === true;
      const pending = this.#pending;
      this.#pending = pending === undefined ? update : this.#joined(pending, update, isWhole);
    } else {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: update });
    }
  }

  #gapBefore(message: StateMessage): Pick<Update<A>, "reorg" | "missed"> {
    const last = this.#last;
    if (last !== undefined && this.#isLost) {
      const isSameHeight = message.blockNumber === last.blockNumber;
      const reorg = isSameHeight ? message.blockHash !== last.blockHash : "unknown";
      return { reorg, missed: "unknown" };
    }
    const reorg = message.op === "update" && message.reorg === true;
    return { reorg, missed: Math.max(0, message.seq - (last?.seq ?? 0) - 1) };
  }

  #joined(older: Update<A>, newer: Update<A>, isWhole: boolean): Update<A> {
    const { join = (_, data) => data } = this.#topic;
    const isKnown = typeof older.missed === "number" && typeof newer.missed === "number";
    return {
      ...newer,
      data: join(older.data, newer.data, isWhole),
      unpaid: older.unpaid + newer.unpaid,
      reorg: older.reorg === true || newer.reorg === true || older.reorg || newer.reorg,
      missed: isKnown ? Number(older.missed) + Number(newer.missed) + 1 : "unknown",
    };
  }

  #end(failure: StreamError | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#newest = undefined;
    this.#unsubscribe?.();
    this.#listener?.ended();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#failure = failure;
    else if (failure === undefined) waiting.resolve({ done: true, value: undefined });
    else waiting.reject(failure);
  }
}

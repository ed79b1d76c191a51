import { Stream } from "effect";
import type { NewestUpdates } from "./NewestUpdates.ts";
import type { StreamError } from "./streamErrors.ts";
import type { Update } from "./Update.ts";

/**
 * The updates of a topic, as a plain async iterable or as an Effect stream. Each reading is a
 * subscription of its own, which ends with the reading.
 */
export class Updates<A> implements AsyncIterable<Update<A>, undefined> {
  readonly #read: () => NewestUpdates<A>;

  constructor(read: () => NewestUpdates<A>) {
    this.#read = read;
  }

  /** The reading throws a `StreamError` when it fails. It ends when the client is closed. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Update<A>, undefined> {
    return this.#read();
  }

  get stream(): Stream.Stream<Update<A>, StreamError> {
    // Readings fail with nothing else.
    return Stream.fromAsyncIterable(this, (failure) => failure as StreamError);
  }
}

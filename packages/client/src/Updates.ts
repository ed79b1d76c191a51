import { Stream } from "effect";
import type { NewestUpdates } from "./NewestUpdates.ts";
import type { StreamError } from "./streamErrors.ts";
import type { Update } from "./Update.ts";

/**
 * What may be subscribed to: as a plain async iterable, or as an Effect stream. Each reading of it
 * is a subscription of its own, which ends when the reading does.
 */
export class Updates<A> implements AsyncIterable<Update<A>, undefined> {
  readonly #read: () => NewestUpdates<A>;

  constructor(read: () => NewestUpdates<A>) {
    this.#read = read;
  }

  /** The reading throws a `StreamError` where it fails; it ends when the client is closed. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Update<A>, undefined> {
    return this.#read();
  }

  get stream(): Stream.Stream<Update<A>, StreamError> {
    // Readings fail with nothing else.
    return Stream.fromAsyncIterable(this, (failure) => failure as StreamError);
  }
}

import { Stream } from "effect";
import { NewestUpdates, type UpdatesOptions } from "./NewestUpdates.ts";
import { type StreamConnection, StreamRefused } from "./StreamConnection.ts";
import type { Update } from "./Update.ts";

/**
 * What may be subscribed to: as a plain async iterable, or as an Effect stream. Each reading of it is
 * a subscription of its own, which ends when the reading does.
 */
export class Updates<A> implements AsyncIterable<Update<A>, undefined> {
  readonly #connection: StreamConnection;
  readonly #request: object;
  readonly #options: UpdatesOptions<A>;

  constructor(connection: StreamConnection, request: object, options: UpdatesOptions<A> = {}) {
    this.#connection = connection;
    this.#request = request;
    this.#options = options;
  }

  /** Throws `StreamRefused` where the server will not have it. */
  [Symbol.asyncIterator](): NewestUpdates<A> {
    return new NewestUpdates(this.#connection, this.#request, this.#options);
  }

  get stream(): Stream.Stream<Update<A>, StreamRefused> {
    return Stream.fromAsyncIterable(this, (error) =>
      error instanceof StreamRefused ? error : unexpected(error),
    );
  }
}

function unexpected(error: unknown): never {
  throw error;
}

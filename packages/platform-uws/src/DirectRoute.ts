import type * as Effect from "effect/Effect";
import type { Asker } from "./Asker.ts";
import type { HeaderLines } from "./headerBlock.ts";

/**
 * A route answered in the event loop, as a rule without a fiber. GET routes answer at once, and
 * HEAD as well; POST routes with what else has arrived in the same turn of the loop (see
 * `AnswerBatch`).
 */
export interface DirectRoute {
  readonly method: "GET" | "POST";
  /** `/ETH/quote`, or with parameters: `/:network/quote`. */
  readonly path: string;
  /**
   * Whether a request is for this route, by the parameters of its path in order, as sent; where it
   * is not, Effect's router gets it. Must not throw. Without it, all are.
   */
  readonly accepts?: (parameters: ReadonlyArray<string>) => boolean;
  /**
   * Must not block. What it throws is logged and answered with 500. An answer that takes its time
   * elsewhere may be given as an Effect: it runs on a fiber, which is interrupted when the client
   * leaves or the server's grace period is over; what it dies of is answered likewise.
   */
  readonly handle: (request: DirectRequest) => DirectResponse | Effect.Effect<DirectResponse>;
  /** Headers of every answer of the route, checked once. */
  readonly headers?: HeaderLines;
}

/** A request, copied: it may be kept. */
export interface DirectRequest {
  /** The parameters of the path in order, as sent (not percent-decoded). */
  readonly parameters: ReadonlyArray<string>;
  /** What follows `?`, as sent; empty when there is none. */
  readonly query: string;
  /** The body as UTF-8 text, bad sequences replaced by U+FFFD; empty for GET. */
  readonly body: string;
  /** What the answer's `x-request-id` will say. */
  readonly requestId: string;
  /** What the server's `identify` gave. */
  readonly client?: Asker;
}

/** A whole answer. */
export interface DirectResponse {
  readonly status: number;
  readonly contentType: string;
  /** Handed over whole, without waiting for a slow client: not for megabytes. */
  readonly body: string;
  /** Further headers of this one answer; one with a line end in it makes the answer a 500. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The path as it was sent, put together again: only failures need it. */
export const directPath = (route: DirectRoute, parameters: ReadonlyArray<string>): string => {
  let index = 0;
  const parts = route.path.split("/");
  return parts.map((part) => (isParameter(part) ? parameters[index++] : part)).join("/");
};

export const isParameter = (part: string): boolean => part.startsWith(":");

import type * as Effect from "effect/Effect";
import type { Asker } from "./Asker.ts";
import type { HeaderLines } from "./headerBlock.ts";

/**
 * A route answered in the event loop, usually without a fiber. While there is little to do, GET and
 * HEAD are answered at once; otherwise they wait for their turn, as POST always does (see
 * `AnswerQueue`).
 */
export interface DirectRoute {
  readonly method: "GET" | "POST";
  /** `/ETH/quote`, or with parameters: `/:network/quote`. */
  readonly path: string;
  /**
   * Whether this route takes a request, by its path parameters in order, as sent; a request that it
   * does not take goes to Effect's router. Must not throw. By default it takes all.
   */
  readonly accepts?: (parameters: ReadonlyArray<string>) => boolean;
  /**
   * Must not block. An exception is logged and answered with 500. A slow answer may be given as an
   * Effect: it runs on a fiber, which is interrupted when the client leaves or the server's grace
   * period ends. Its failure is answered with 500 too.
   */
  readonly handle: (request: DirectRequest) => DirectResponse | Effect.Effect<DirectResponse>;
  /** Headers of every answer of the route, validated once. */
  readonly headers?: HeaderLines;
}

/** A copied request, which may be kept. */
export interface DirectRequest {
  /** The parameters of the path in order, as sent (not percent-decoded). */
  readonly parameters: ReadonlyArray<string>;
  /** What follows `?`, as sent; empty when there is none. */
  readonly query: string;
  /** The body as UTF-8 text, bad sequences replaced by U+FFFD; empty for GET. */
  readonly body: string;
  /** The value of the answer's `x-request-id`. */
  readonly requestId: string;
  /** What the server's `identify` returned. */
  readonly client?: Asker;
}

/** A whole answer. */
export interface DirectResponse {
  readonly status: number;
  readonly contentType: string;
  /** Sent whole, without waiting for a slow client: not for megabytes. */
  readonly body: string;
  /** Further headers of this answer; one that contains a line end makes the answer a 500. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The path as it was sent, rebuilt: only failures need it. */
export const directPath = (route: DirectRoute, parameters: ReadonlyArray<string>): string => {
  let index = 0;
  const parts = route.path.split("/");
  return parts.map((part) => (isParameter(part) ? parameters[index++] : part)).join("/");
};

export const isParameter = (part: string): boolean => part.startsWith(":");

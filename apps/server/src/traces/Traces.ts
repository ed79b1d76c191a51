import { Context, Effect } from "effect";
import type { RequestSpan } from "./RequestSpan.ts";

/** Traces of a sample of requests and blocks, for a collector. */
export interface Traces {
  /**
   * Begins the span of a request in the sample; undefined for all others. `route` is a pattern of
   * the interface, never a client's text.
   */
  readonly request: (method: string, route: string) => RequestSpan | undefined;
}

/** No traces are collected without `openTraces`. */
export const Traces = Context.Reference<Traces>("@millrace/server/Traces", {
  defaultValue: () => ({ request: () => undefined }),
});

/** The span of the current request, where it is in the sample. */
export const CurrentSpan = Context.Reference<RequestSpan | undefined>(
  "@millrace/server/CurrentSpan",
  { defaultValue: () => undefined },
);

/** Makes a span of an effect within that of its request, where there is one. */
export const spanned = <A, E, R>(
  name: string,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentSpan, (span) => (span === undefined ? effect : span.during(name, effect)));

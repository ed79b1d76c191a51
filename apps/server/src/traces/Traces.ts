import { Context, Effect } from "effect";
import type { RequestSpan } from "./RequestSpan.ts";

/** What a sample of requests and blocks did, and when, for who collects traces. */
export interface Traces {
  /**
   * Begins the span of a request that is in the sample; undefined of all others. `route` is a
   * pattern of the interface, never a client's text.
   */
  readonly request: (method: string, route: string) => RequestSpan | undefined;
}

/** Nobody collects them unless `openTraces` is asked to. */
export const Traces = Context.Reference<Traces>("@millrace/server/Traces", {
  defaultValue: () => ({ request: () => undefined }),
});

/** The span of the request that is answered, where it is in the sample. */
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

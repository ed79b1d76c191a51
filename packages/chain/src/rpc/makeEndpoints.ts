import { Effect, Result } from "effect";
import { announcedHeads } from "./announcedHeads.ts";
import type { Endpoint, Endpoints, EndpointsOptions, MakeEndpoints } from "./Endpoints.ts";
import { monotonicMs, sleepUntil } from "./monotonicTime.ts";
import type { RpcError } from "./RpcError.ts";
import { makeRequester } from "./requester.ts";
import { type WatchedEndpoint, watchedEndpoint } from "./watchedEndpoint.ts";

const TIMEOUT_MS = 10_000;
/** For this long after a failure, an endpoint comes after those without one. */
const PROBATION_MS = 60_000;
/** Endpoints not asked since their failure are asked for their chain id this often. */
const REASK_EVERY_MS = 15_000;

/**
 * Several nodes of one network as one. The first configured endpoint is preferred. An endpoint that
 * failed in the last minute comes after those that did not; of several, the one that failed longest
 * ago is first. So all requests go to one node while it is healthy, to another when it fails, and
 * back to the first a minute after its last failure.
 *
 * An endpoint that failed rests (see `watchedEndpoint`). A resting endpoint is skipped while others
 * are awake. When all rest, `withEndpoint` waits for the first to wake, at most 0.6 s unless nodes
 * asked for longer pauses. When the wait would be longer than `timeoutMs`, it fails at once with
 * the endpoint's problem, so a caller that retries needs a schedule of its own.
 *
 * A failed request is not repeated on the same endpoint. A refusal is an answer: the next endpoint
 * is asked, since it may know the block, but the first stays healthy. All endpoints are asked for
 * their chain id at the start, in the background; those that failed, every 15 s.
 */
export const makeEndpoints: MakeEndpoints = Effect.fnUntraced(function* (
  options: EndpointsOptions,
) {
  const { chainId, transport, timeoutMs = TIMEOUT_MS, blockTimeMs } = options;
  if (options.endpoints.length === 0) throw new Error("No endpoint is configured.");
  const configs = options.endpoints.map((config, index) => ({
    ...config,
    name: config.name ?? `endpoint ${index + 1}`,
  }));
  const watched = configs.map((config) =>
    watchedEndpoint(makeRequester(config, transport, timeoutMs), chainId),
  );
  yield* Effect.forEach(watched, reaskWhenRested, { concurrency: "unbounded", discard: true }).pipe(
    Effect.andThen(Effect.sleep(REASK_EVERY_MS)),
    Effect.forever,
    Effect.annotateLogs({ chainId }),
    Effect.forkScoped,
  );
  return {
    withEndpoint: (use) =>
      onFirstThatAnswers(watched, use, timeoutMs).pipe(Effect.annotateLogs({ chainId })),
    all: watched.map(alone),
    heads: announcedHeads(configs, transport, blockTimeMs),
    status: () => watched.map((endpoint) => endpoint.status()),
  } satisfies Endpoints;
});

/**
 * One endpoint by itself. Each request is a use of its own: only on the right chain, and not while
 * the endpoint rests.
 */
function alone({ name, run }: WatchedEndpoint): Endpoint {
  return {
    name,
    request: (method, params, priority) =>
      run((endpoint) => endpoint.request(method, params, priority)),
  };
}

const reaskWhenRested = Effect.fnUntraced(function* (endpoint: WatchedEndpoint) {
  if (endpoint.restUntilMs() <= (yield* monotonicMs)) yield* endpoint.reask;
});

const onFirstThatAnswers = Effect.fnUntraced(function* <A>(
  endpoints: ReadonlyArray<WatchedEndpoint>,
  use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
  patienceMs: number,
) {
  const untried = new Set(endpoints);
  let error = yield* waitForOne(endpoints, patienceMs);
  if (error !== undefined) return yield* error;
  for (;;) {
    const next = preferred(untried, yield* monotonicMs);
    if (next === undefined) break;
    untried.delete(next);
    const outcome = yield* Effect.result(next.run(use));
    if (Result.isSuccess(outcome)) return outcome.success;
    error = outcome.failure;
  }
  // None was asked: the endpoint that woke was asked by others meanwhile, and rests again.
  return yield* error ?? soonest(endpoints).problem()!;
});

/** When all rest, waits for one to wake; gives its problem when that would take too long. */
const waitForOne = Effect.fnUntraced(function* (
  endpoints: ReadonlyArray<WatchedEndpoint>,
  patienceMs: number,
) {
  const first = soonest(endpoints);
  const waitMs = first.restUntilMs() - (yield* monotonicMs);
  if (waitMs > patienceMs) return first.problem();
  yield* sleepUntil(first.restUntilMs());
  return undefined;
});

function soonest(endpoints: ReadonlyArray<WatchedEndpoint>): WatchedEndpoint {
  return endpoints.reduce((a, b) => (b.restUntilMs() < a.restUntilMs() ? b : a));
}

/** The awake endpoint to ask first. */
function preferred(
  endpoints: ReadonlySet<WatchedEndpoint>,
  nowMs: number,
): WatchedEndpoint | undefined {
  const failedAt = (endpoint: WatchedEndpoint) =>
    nowMs - endpoint.lastFailureMs() < PROBATION_MS
      ? endpoint.lastFailureMs()
      : Number.NEGATIVE_INFINITY;
  return [...endpoints]
    .filter((endpoint) => endpoint.restUntilMs() <= nowMs)
    .reduce<WatchedEndpoint | undefined>(
      (best, endpoint) =>
        best === undefined || failedAt(endpoint) < failedAt(best) ? endpoint : best,
      undefined,
    );
}

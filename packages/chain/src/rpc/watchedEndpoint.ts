import { Effect, Semaphore } from "effect";
import type { Endpoint, EndpointStatus } from "./Endpoints.ts";
import { jitteredBackoff } from "./jitteredBackoff.ts";
import { monotonicMs } from "./monotonicTime.ts";
import { RpcError } from "./RpcError.ts";
import type { Requester } from "./requester.ts";

const REST_BASE_MS = 100;
/** When everything comes back after an outage, no endpoint is left unasked for longer than this. */
const REST_MAX_MS = 600;
/**
 * The chain id is asked again while an earlier request hangs: packets sent into an outage are lost.
 */
const CHAIN_ID_EVERY_MS = 250;
const CHAIN_ID_WITHIN_MS = 2_000;

/** One endpoint and what is remembered about it: its chain, its failures, its rests. */
export interface WatchedEndpoint {
  readonly name: string;
  /**
   * Runs `use`, only on the right chain, and remembers the outcome. While the endpoint rests, fails
   * at once with its last problem.
   */
  readonly run: <A>(
    use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
  ) => Effect.Effect<A, RpcError>;
  /** Asks for the chain id if it is uncertain; an endpoint that gives the right one is healthy. */
  readonly reask: Effect.Effect<void>;
  /** The endpoint is not to be asked before this time (`monotonicMs`). */
  readonly restUntilMs: () => number;
  readonly lastFailureMs: () => number;
  readonly problem: () => RpcError | undefined;
  readonly status: () => EndpointStatus;
}

/**
 * Watches over one endpoint. Every failure except a refusal makes it rest: for 0.1 s to 0.6 s,
 * doubling and jittered, counted from the request; or for as long as the endpoint asks. Then it has
 * to give its chain id again, since a URL may point elsewhere by then. That request also probes
 * whether the endpoint is back: everybody else who wants the endpoint waits for its outcome.
 */
export function watchedEndpoint(requester: Requester, chainId: number): WatchedEndpoint {
  const { name } = requester;
  let verified = false;
  let failuresInRow = 0;
  let failuresSoFar = 0;
  let badData = 0;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let lastFailureMs = Number.NEGATIVE_INFINITY;
  let problem: RpcError | undefined;

  const failed = Effect.fnUntraced(function* (error: RpcError, sinceMs: number) {
    const restMs = yield* jitteredBackoff(failuresInRow + 1, REST_BASE_MS, REST_MAX_MS);
    lastFailureMs = yield* monotonicMs;
    verified = false;
    failuresInRow += 1;
    failuresSoFar += 1;
    if (error.reason === "BadData") badData += 1;
    // A request that took long to fail counts as part of the rest.
    restUntilMs = Math.max(sinceMs + restMs, requester.pausedUntilMs());
    const isNews = problem === undefined || chainProblem(problem) !== chainProblem(error);
    problem = error;
    if (isNews) yield* Effect.logWarning(`${name} is unhealthy: ${inWords(error)}`);
  });

  const healthy = Effect.suspend(() => {
    if (problem === undefined) return Effect.void;
    problem = undefined;
    return Effect.logInfo(`${name} is healthy again`);
  });

  const verifying = Effect.gen(function* () {
    if (verified) return;
    // Another fiber found it still failing while this one waited for its turn.
    if (problem !== undefined && restUntilMs > (yield* monotonicMs)) return yield* problem;
    const sinceMs = yield* monotonicMs;
    yield* askChainId(requester, chainId).pipe(Effect.tapError((error) => failed(error, sinceMs)));
    verified = true;
  }).pipe(Semaphore.makeUnsafe(1).withPermit);

  const run = Effect.fnUntraced(function* <A>(
    use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
  ) {
    if (!verified) yield* verifying;
    const sinceMs = yield* monotonicMs;
    const failuresBefore = failuresSoFar;
    // Of several uses at once only the first failure counts, and no success after it.
    const isCurrent = () => failuresSoFar === failuresBefore;
    const answered = Effect.suspend(() => {
      if (!isCurrent()) return Effect.void;
      failuresInRow = 0;
      return healthy;
    });
    return yield* use(requester).pipe(
      Effect.tap(() => answered),
      Effect.tapError((error) => {
        if (error.reason === "Refused") return answered;
        return isCurrent() ? failed(error, sinceMs) : Effect.void;
      }),
    );
  });

  return {
    name,
    run,
    // Only a successful use resets the growth of rests: a node may know its chain and nothing else.
    reask: Effect.suspend(() =>
      verified ? Effect.void : verifying.pipe(Effect.andThen(healthy), Effect.ignore),
    ),
    restUntilMs: () => restUntilMs,
    lastFailureMs: () => lastFailureMs,
    problem: () => problem,
    status: () => ({
      name,
      healthy: problem === undefined,
      ...(problem === undefined ? {} : { problem: inWords(problem) }),
      requests: requester.requests(),
      failures: requester.failures() + badData,
    }),
  };
}

/** Fails when the node is of another chain, or does not tell its chain. */
const askChainId = Effect.fnUntraced(function* (endpoint: Endpoint, chainId: number) {
  const method = "eth_chainId";
  const asks = Array.from({ length: CHAIN_ID_WITHIN_MS / CHAIN_ID_EVERY_MS }, (_, index) =>
    Effect.delay(endpoint.request(method, []), index * CHAIN_ID_EVERY_MS),
  );
  const fail = (reason: RpcError["reason"], detail: string) =>
    new RpcError({ endpoint: endpoint.name, method, reason, detail });
  const answer = yield* Effect.raceAllFirst(asks).pipe(
    Effect.timeoutOrElse({
      duration: CHAIN_ID_WITHIN_MS,
      orElse: () => Effect.fail(fail("TimedOut", `after ${CHAIN_ID_WITHIN_MS} ms`)),
    }),
  );
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,13}$/i.test(answer)) {
    return yield* fail("Malformed", "no chain id");
  }
  if (Number(answer) !== chainId) {
    return yield* fail("WrongChain", `chain id ${Number(answer)} instead of ${chainId}`);
  }
});

function chainProblem({ reason, detail }: RpcError): string {
  return reason === "WrongChain" ? detail : "";
}

function inWords({ reason, method, detail }: RpcError): string {
  return `${reason} (${method}) ${detail}`;
}

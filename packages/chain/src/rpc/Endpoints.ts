import type { Effect, Scope, Stream } from "effect";
import type { RpcError } from "./RpcError.ts";
import type { Transport } from "./Transport.ts";

/** One node, or whatever answers at a URL, as it is configured. */
export interface EndpointConfig {
  /** For logs and metrics; without it `endpoint 1`, … (a URL may hold a key). */
  readonly name?: string;
  /** http:// or https://. */
  readonly url: string;
  /** ws:// or wss://, for announcements of heads; without it heads are only polled. */
  readonly webSocketUrl?: string;
  /** At most this many requests a second; no limit without it. */
  readonly callsPerSecond?: number;
}

/** One endpoint in use. */
export interface Endpoint {
  readonly name: string;
  /**
   * The `result` of a JSON-RPC request, unchecked; one try, within the time limit. Requests `aside`
   * take what the others leave of the endpoint's rate.
   */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
    priority?: "aside",
  ) => Effect.Effect<unknown, RpcError>;
}

/** The endpoints of one network: health, failover, back-off, rates; see `makeEndpoints`. */
export interface Endpoints {
  /**
   * Runs `use` on the healthiest endpoint, and when it fails on the next one, each at most once:
   * all of `use` talks to one node. Fails with the last error when all have failed.
   */
  readonly withEndpoint: <A>(
    use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
  ) => Effect.Effect<A, RpcError>;
  /**
   * All of them, in their configured order, each by itself: a request to one that rests after a
   * failure, or is of another chain, fails at once.
   */
  readonly all: ReadonlyArray<Endpoint>;
  /**
   * Announced headers of all endpoints that have a WebSocket, unchecked; reconnects for ever with
   * back-off. Only a hint: nothing may depend on one arriving.
   */
  readonly heads: Stream.Stream<unknown>;
  readonly status: () => ReadonlyArray<EndpointStatus>;
}

export interface EndpointStatus {
  readonly name: string;
  readonly healthy: boolean;
  /** What went wrong last, while it is not healthy. */
  readonly problem?: string;
  readonly requests: number;
  readonly failures: number;
}

export interface EndpointsOptions {
  readonly chainId: number;
  readonly endpoints: ReadonlyArray<EndpointConfig>;
  readonly transport: Transport;
  /** One request may take this long, and 2 s if it is for a header; 10 s without it. */
  readonly timeoutMs?: number;
  readonly blockTimeMs: number;
}

export type MakeEndpoints = (
  options: EndpointsOptions,
) => Effect.Effect<Endpoints, never, Scope.Scope>;

/** The endpoint for what can wait: none of its requests stands in the way of the others' rate. */
export function aside({ name, request }: Endpoint): Endpoint {
  return { name, request: (method, params) => request(method, params, "aside") };
}

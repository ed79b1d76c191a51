import type { Effect, Scope, Stream } from "effect";
import type { RpcError } from "./RpcError.ts";
import type { Transport } from "./Transport.ts";

/** One node, or whatever answers at a URL, as configured. */
export interface EndpointConfig {
  /** For logs and metrics, since a URL may hold a key; default: `endpoint 1`, …. */
  readonly name?: string;
  /** http:// or https://. */
  readonly url: string;
  /** ws:// or wss://, for announced heads; without it, heads are only polled. */
  readonly webSocketUrl?: string;
  /** At most this many requests a second; no limit without it. */
  readonly callsPerSecond?: number;
}

/** One endpoint in use. */
export interface Endpoint {
  readonly name: string;
  /**
   * The `result` of a JSON-RPC request, unchecked; one try, within the time limit. Requests with
   * priority `aside` take what the others leave of the endpoint's rate.
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
   * Runs `use` on the healthiest endpoint, and after a failure on the next one; on each at most
   * once. All requests of one `use` go to one node. Fails with the last error when all have failed.
   */
  readonly withEndpoint: <A>(
    use: (endpoint: Endpoint) => Effect.Effect<A, RpcError>,
  ) => Effect.Effect<A, RpcError>;
  /**
   * All endpoints, in their configured order, each by itself: a request fails at once while its
   * endpoint rests after a failure, or is of another chain.
   */
  readonly all: ReadonlyArray<Endpoint>;
  /**
   * Announced headers from all endpoints with a WebSocket, unchecked; reconnects for ever with
   * back-off. They are only hints: nothing may depend on one arriving.
   */
  readonly heads: Stream.Stream<unknown>;
  readonly status: () => ReadonlyArray<EndpointStatus>;
}

export interface EndpointStatus {
  readonly name: string;
  readonly healthy: boolean;
  /** The last problem, while the endpoint is not healthy. */
  readonly problem?: string;
  readonly requests: number;
  readonly failures: number;
}

export interface EndpointsOptions {
  readonly chainId: number;
  readonly endpoints: ReadonlyArray<EndpointConfig>;
  readonly transport: Transport;
  /** Time limit of one request; default: 10 s. Headers and the chain id have at most 2 s. */
  readonly timeoutMs?: number;
  readonly blockTimeMs: number;
}

export type MakeEndpoints = (
  options: EndpointsOptions,
) => Effect.Effect<Endpoints, never, Scope.Scope>;

/** The endpoint for work that can wait: its requests do not take the others' rate. */
export function aside({ name, request }: Endpoint): Endpoint {
  return { name, request: (method, params) => request(method, params, "aside") };
}

import { AnswerQueue } from "./AnswerQueue.ts";
import { ANYBODY, type Asker } from "./Asker.ts";
import { type ConnectionRules, Connections } from "./Connections.ts";
import type { CrossOriginOptions } from "./crossOrigin.ts";
import type { DirectRoute } from "./DirectRoute.ts";
import type { NativeLibrary } from "./native/loadNativeLibrary.ts";
import type { ProblemHook } from "./problem.ts";
import type { WebSocketRoute } from "./webSocket/WebSocketRoute.ts";

/** How the server listens, what it accepts, and how it shuts down. */
export interface ServerOptions {
  /** Host name or address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port to listen on, never shared with another process; 0 takes a free one. */
  readonly port: number;
  /** Shares the port, found by `claimPort`, with other threads of this process. Linux only. */
  readonly sharesPort?: boolean;
  /** Longest request body, in bytes; longer ones get 413. Default 65,536. */
  readonly bodyBytesMax?: number;
  /** Longest query string, in bytes as sent; longer ones get 400. Default 2,048. */
  readonly queryBytesMax?: number;
  /** Most Effect requests at once; more get 503. Default 1,024. Direct routes are not counted. */
  readonly inFlightMax?: number;
  /** Routes answered before the `HttpServer` is asked, usually synchronously. */
  readonly directRoutes?: ReadonlyArray<DirectRoute>;
  /** Paths that upgrade to WebSockets. */
  readonly webSocketRoutes?: ReadonlyArray<WebSocketRoute>;
  /**
   * Identifies the client of a request; the result is the `client` of a direct request. Waiting
   * clients take turns by it. Called before the request is read further. Neither the function nor
   * its result may throw or take long. Without it, all requests are of one client.
   */
  readonly identify?: (request: IncomingRequest) => Asker;
  /**
   * The queue of waiting requests; those that it refuses get 503. By default one with its own
   * defaults.
   */
  readonly answers?: AnswerQueue;
  /**
   * Paths, as sent, that neither wait nor are refused under overload; only for requests that no
   * direct route takes.
   */
  readonly isExempt?: (path: string) => boolean;
  /** Called for each request that is refused under overload; must not throw. */
  readonly onShed?: () => void;
  /** Who may read answers from another origin; `false` for nobody. By default everybody. */
  readonly cors?: CrossOriginOptions | false;
  /** How many connections the server accepts; further ones are closed at once. */
  readonly connections?: ConnectionRules;
  /** Makes the body of this package's own refusals. Default: RFC 9457 problem details. */
  readonly problem?: ProblemHook;
  /** Milliseconds from readiness going off to the end of listening. Default 0. */
  readonly readinessDelayMs?: number;
  /** Milliseconds for requests in flight to finish after listening has ended. Default 10,000. */
  readonly gracePeriodMs?: number;
  /** The build of uWebSockets.js to use. Default: the shipped one. */
  readonly nativeLibrary?: NativeLibrary;
}

/**
 * The parts of a request that identify its client. Invalid after the function that received it
 * returns.
 */
export interface IncomingRequest {
  /**
   * Address of the peer, which may be a proxy: `192.0.2.1` or `2001:db8:0:0:0:0:0:1`, IPv4 never
   * mapped into IPv6.
   */
  readonly peerAddress: () => string;
  /** A header by its lower-case name, repeated ones joined by `, `; "" when absent. */
  readonly header: (name: string) => string;
}

/** The `ServerOptions` with their defaults, for the rest of the package. */
export const withDefaults = (options: ServerOptions) => ({
  host: options.host ?? "127.0.0.1",
  port: options.port,
  sharesPort: options.sharesPort ?? false,
  bodyBytesMax: options.bodyBytesMax ?? 65_536,
  queryBytesMax: options.queryBytesMax ?? 2_048,
  inFlightMax: options.inFlightMax ?? 1_024,
  directRoutes: options.directRoutes ?? [],
  webSocketRoutes: options.webSocketRoutes ?? [],
  identify: options.identify ?? (() => ANYBODY),
  answers: options.answers ?? new AnswerQueue(),
  isExempt: options.isExempt ?? (() => false),
  onShed: options.onShed ?? (() => {}),
  connections: new Connections(options.connections),
  cors: options.cors ?? { allowedOrigins: "*" as const },
  problem: options.problem,
  readinessDelayMs: options.readinessDelayMs ?? 0,
  gracePeriodMs: options.gracePeriodMs ?? 10_000,
  nativeLibrary: options.nativeLibrary,
});

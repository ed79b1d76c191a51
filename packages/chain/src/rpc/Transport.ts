import { Data, type Effect, type Stream } from "effect";

/**
 * Carries requests to nodes: HTTP and WebSocket in service, a simulated network in tests. Time
 * limits are up to the caller (by Effect's clock), who interrupts what takes too long.
 */
export interface Transport {
  /** One HTTP POST of a JSON text. Gives the response, whatever its status. */
  readonly post: (url: string, body: string) => Effect.Effect<HttpReply, TransportError>;
  /**
   * Block headers as a node announces them (`eth_subscribe` newHeads), unchanged. Ends or fails
   * when the connection does; a connection that dies silently goes unnoticed.
   */
  readonly heads: (webSocketUrl: string) => Stream.Stream<unknown, TransportError>;
}

export interface HttpReply {
  readonly status: number;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}

export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "Unreachable" | "TooLarge" | "Closed";
  readonly detail: string;
}> {}

import type { DirectResponse } from "../DirectRoute.ts";

/**
 * A path whose GET upgrades to a WebSocket (RFC 6455) that carries text.
 *
 * The native library (version 20.51.4) deviates from the RFC in ways that this package cannot
 * change. It accepts unmasked frames, and reads the first four bytes of their payload as the mask.
 * It loses frames sent before the upgrade was answered. It accepts lengths that are not in their
 * shortest form. It ends connections without a close frame (1006) for frames that break the
 * protocol, for messages of more than twice the longest size, and for unresponsive peers. It
 * answers a close code of 3000 to 3999 with a close frame without a code.
 */
export interface WebSocketRoute {
  /** Such as `/ws`; no parameters. */
  readonly path: string;
  /** Longest message, in bytes; a longer one closes the connection with 1009. Default 16,384. */
  readonly messageBytesMax?: number;
  /**
   * Bytes that may be buffered for a slow reader; beyond them the connection is closed with 1013
   * and a reason. As many bytes of received messages may wait for their turn; beyond them it is
   * closed with 1008. Default 262,144.
   */
  readonly bufferedBytesMax?: number;
  /**
   * Seconds without a sign of life before a connection is closed, whatever is sent to it; pings go
   * out automatically long before. Must be 8 to 960, or the native library ends the process.
   * Default 60.
   */
  readonly idleSeconds?: number;
  /** Connections of all clients together; more get 503. Default 10,000. */
  readonly connectionsMax?: number;
  /** Refuses an upgrade with an answer; undefined lets it through. A throw is a 500. */
  readonly admit?: (request: UpgradeRequest) => DirectResponse | undefined;
  /** Called when a connection opens; returns the handler of its messages. */
  readonly open: (connection: WebSocketConnection, request: UpgradeRequest) => WebSocketHandler;
}

/** The upgrade request, copied: it may be kept. */
export interface UpgradeRequest {
  /**
   * Address of the peer, which may be a proxy: `192.0.2.1` or `2001:db8:0:0:0:0:0:1`, IPv4 never
   * mapped into IPv6.
   */
  readonly peerAddress: string;
  /** What follows `?`, as sent. */
  readonly query: string;
  /** A header by its lower-case name, repeated ones joined by `, `; "" when absent. */
  readonly header: (name: string) => string;
  readonly requestId: string;
}

/** None of its functions throws, whatever has become of the peer. */
export interface WebSocketConnection {
  /**
   * Sends a text message. If more than `bufferedBytesMax` are buffered already, closes the
   * connection instead.
   */
  readonly send: (text: string) => void;
  /** Sends everything that `write` sends in one packet. */
  readonly together: (write: () => void) => void;
  /** Bytes buffered for the reader. */
  readonly bufferedBytes: () => number;
  readonly isOpen: () => boolean;
  /** Closes with a code (RFC 6455, section 7.4) and a reason of at most 123 bytes. */
  readonly close: (code: number, reason: string) => void;
}

/** An exception is logged, and closes the connection with 1011. */
export interface WebSocketHandler {
  /** A whole text message, valid UTF-8. */
  readonly message: (text: string) => void;
  /** The reader has caught up, fully or partly: see `bufferedBytes`. */
  readonly drained: () => void;
  /** The connection has closed; the last call, made once. */
  readonly closed: () => void;
  /** The server will close the connection with 1012: the last chance to send. */
  readonly closing: () => void;
}

import type { DirectResponse } from "../DirectRoute.ts";

/**
 * A path whose GET upgrades to a WebSocket (RFC 6455) that carries text.
 *
 * What the native library (version 20.51.4) does otherwise than the RFC says, out of our reach: it
 * takes frames that are not masked, and reads the first four bytes of their payload as the mask; it
 * loses frames that are sent before the upgrade was answered; it takes lengths that are written
 * longer than they need be; frames that break the protocol, messages of more than twice the longest
 * size, and peers that give no sign of life end the connection without a close frame (1006); a
 * close code of 3000 to 3999 comes back as a close frame without a code.
 */
export interface WebSocketRoute {
  /** `/ws`; without parameters. */
  readonly path: string;
  /** Longest message, in bytes; a longer one closes its connection with 1009. Default 16,384. */
  readonly messageBytesMax?: number;
  /**
   * Bytes that may wait for a slow reader; past them its connection is closed with 1013 and a
   * reason. As many bytes of messages may wait for their turn; past them it is closed with 1008.
   * Default 262,144.
   */
  readonly bufferedBytesMax?: number;
  /**
   * Seconds without a sign of life after which a connection is closed, whatever it is sent; pings
   * go out by themselves long before. 8 to 960, or the native library ends the process. Default 60.
   */
  readonly idleSeconds?: number;
  /** Connections of all clients together; more get 503. Default 10,000. */
  readonly connectionsMax?: number;
  /** Refuses an upgrade with an answer; undefined lets it through. A throw is a 500. */
  readonly admit?: (request: UpgradeRequest) => DirectResponse | undefined;
  /** A connection is open: what is to be done with what it sends. */
  readonly open: (connection: WebSocketConnection, request: UpgradeRequest) => WebSocketHandler;
}

/** The request that asked for a connection, copied: it may be kept. */
export interface UpgradeRequest {
  /**
   * Of the peer, which may be a proxy: `192.0.2.1` or `2001:db8:0:0:0:0:0:1`, IPv4 never mapped
   * into IPv6.
   */
  readonly peerAddress: string;
  /** What follows `?`, as sent. */
  readonly query: string;
  /** A header by its lower-case name, repeated ones joined by `, `; "" when absent. */
  readonly header: (name: string) => string;
  readonly requestId: string;
}

/** Nothing of it throws, whatever has become of the peer. */
export interface WebSocketConnection {
  /** Sends a text message. What would wait behind more than `bufferedBytesMax` closes instead. */
  readonly send: (text: string) => void;
  /** Sends what `write` sends in one packet. */
  readonly together: (write: () => void) => void;
  /** Bytes that wait for the reader. */
  readonly bufferedBytes: () => number;
  readonly isOpen: () => boolean;
  /** Closes with a code (RFC 6455, section 7.4) and a reason of at most 123 bytes. */
  readonly close: (code: number, reason: string) => void;
}

/** What it throws is logged, and closes the connection with 1011. */
export interface WebSocketHandler {
  /** A whole text message, valid UTF-8. */
  readonly message: (text: string) => void;
  /** The reader has caught up, wholly or in part: see `bufferedBytes`. */
  readonly drained: () => void;
  /** The connection is gone; called once, and last. */
  readonly closed: () => void;
  /** The server is about to close with 1012: the last chance to send. */
  readonly closing: () => void;
}

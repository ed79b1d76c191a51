import { pauseMs } from "./backOff.ts";
import { Link } from "./Link.ts";
import type { Reader, Wanted } from "./Reader.ts";
import { type OpenSocket, openPlatformSocket } from "./WebSocketLike.ts";

export interface ConnectionOptions {
  /** Opens a socket. Default: the platform's own `WebSocket`. */
  readonly openSocket?: OpenSocket;
  /**
   * First pause before reconnecting, in milliseconds; doubled each time, and randomised. Default
   * 250.
   */
  readonly reconnectMs?: number;
  /** The longest such pause. Default 15,000. */
  readonly reconnectMaxMs?: number;
}

/** The state of the connection; `idle` while there are no subscriptions. */
export type ConnectionState = "idle" | "connecting" | "open" | "lost" | "closed";

/** Called with every change of the state; where it is "lost", with the reason. */
export type StateListener = (state: ConnectionState, reason: string | undefined) => void;

/** A connection that was open for so long resets the count of failures. */
const SOUND_MS = 10_000;
/**
 * Without subscriptions the connection is closed after this time. An open one would keep the
 * process alive.
 */
const IDLE_MS = 1_000;

/**
 * One WebSocket for all subscriptions of a client. It connects with the first subscription. When
 * the connection is lost, it reconnects with growing pauses and subscribes to everything again.
 */
export class StreamConnection {
  readonly #open: () => ReturnType<OpenSocket>;
  readonly #backOff: { readonly firstMs: number; readonly longestMs: number };
  readonly #wanted = new Set<Wanted>();
  readonly #listeners = new Set<StateListener>();
  #state: ConnectionState = "idle";
  #link: Link | undefined;
  #failures = 0;
  #connecting: ReturnType<typeof setTimeout> | undefined;
  #idling: ReturnType<typeof setTimeout> | undefined;

  /** `headers` go with the handshake where the platform allows it. */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    options: ConnectionOptions = {},
  ) {
    const { openSocket = openPlatformSocket, reconnectMs = 250, reconnectMaxMs = 15_000 } = options;
    this.#open = () => openSocket(url, headers);
    this.#backOff = { firstMs: reconnectMs, longestMs: reconnectMaxMs };
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Whether the last value received can be taken for the newest. */
  get isFresh(): boolean {
    return this.#link?.isFresh ?? false;
  }

  /** Calls back with every change of the state; returns a function that unsubscribes. */
  onState(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Subscribes; returns a function that unsubscribes. A reader that was refused has to call it too.
   * `request` is without `op` and `id`.
   */
  subscribe(request: Wanted["request"], reader: Reader): () => void {
    if (this.#state === "closed") {
      reader.closed();
      return () => {};
    }
    clearTimeout(this.#idling);
    const wanted = { request, reader };
    this.#wanted.add(wanted);
    if (this.#link !== undefined) this.#link.subscribe(wanted);
    else if (this.#connecting === undefined) this.#connect();
    return () => this.#drop(wanted);
  }

  /** Ends the connection and all subscriptions, for good. */
  close(): void {
    if (this.#state === "closed") return;
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    this.#disconnect();
    this.#become("closed");
    for (const { reader } of wanted) reader.closed();
  }

  #connect(): void {
    const link = new Link(
      {
        opened: () => this.#become("open"),
        lost: (reason, retryAfterMs) => this.#lost(link, reason, retryAfterMs),
      },
      this.#backOff,
    );
    this.#link = link;
    for (const wanted of this.#wanted) link.subscribe(wanted);
    this.#become("connecting");
    // A listener may have closed the client.
    if (this.#link === link) link.open(this.#open);
  }

  #lost(link: Link, reason: string, retryAfterMs = 0): void {
    this.#link = undefined;
    this.#failures = link.openMs >= SOUND_MS ? 0 : this.#failures;
    const asked = Math.min(Math.max(0, retryAfterMs), this.#backOff.longestMs);
    const waitMs = asked + pauseMs(this.#backOff, this.#failures++);
    this.#connecting = setTimeout(() => {
      this.#connecting = undefined;
      this.#connect();
    }, waitMs);
    for (const { reader } of this.#wanted) reader.lost();
    this.#become("lost", reason);
  }

  #drop(wanted: Wanted): void {
    if (!this.#wanted.delete(wanted)) return;
    this.#link?.unsubscribe(wanted);
    if (this.#wanted.size > 0) return;
    this.#idling = setTimeout(() => {
      this.#disconnect();
      this.#become("idle");
    }, IDLE_MS);
  }

  #disconnect(): void {
    clearTimeout(this.#connecting);
    clearTimeout(this.#idling);
    this.#connecting = undefined;
    this.#link?.close();
    this.#link = undefined;
  }

  #become(state: ConnectionState, reason?: string): void {
    this.#state = state;
    for (const listener of this.#listeners) {
      try {
        listener(state, reason);
      } catch (cause) {
        // A listener's own error must not break the client, but it must be seen.
        queueMicrotask(() => {
          throw cause;
        });
      }
    }
  }
}

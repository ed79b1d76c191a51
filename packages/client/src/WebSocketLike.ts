/** The part of a browser's `WebSocket` that the client uses; Node has it too. */
export interface WebSocketLike {
  onmessage: Handler<{ readonly data: unknown }>;
  onclose: Handler<{ readonly code: number; readonly reason: string }>;
  /** Node says what failed in a `message`; browsers do not. */
  onerror: Handler<object>;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** Declared as a method, so that its parameter accepts a platform's own event types. */
type Handler<Event> = { call(event: Event): void }["call"] | null;

/** Opens a socket; `headers` go with its handshake where the platform allows it. */
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => WebSocketLike;

/**
 * The platform's own `WebSocket`. Node's takes headers. A browser expects protocol names in their
 * place and throws at once; the socket is then opened without headers.
 */
export const openPlatformSocket: OpenSocket = (url, headers) => {
  const Socket = WebSocket as unknown as new (
    url: string,
    options?: { readonly headers: Readonly<Record<string, string>> },
  ) => WebSocketLike;
  if (Object.keys(headers).length === 0) return new Socket(url);
  try {
    return new Socket(url, { headers });
  } catch {
    return new Socket(url);
  }
};

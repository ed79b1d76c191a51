/** The part of a browser's `WebSocket` that is used; Node has it too. */
export interface WebSocketLike {
  onmessage: Handler<{ readonly data: unknown }>;
  onclose: Handler<{ readonly code: number; readonly reason: string }>;
  /** Node says what failed in a `message`; browsers do not. */
  onerror: Handler<object>;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** As a method, whose parameter may be what a platform's own types make of the event. */
type Handler<Event> = { call(event: Event): void }["call"] | null;

/** Opens a socket; `headers` are to go with its handshake where the platform lets them. */
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => WebSocketLike;

/**
 * The platform's own `WebSocket`. Node's takes headers; a browser takes none, and what stands where
 * it expects the names of protocols it refuses at once: then the socket goes without them.
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

/** The part of a browser's `WebSocket` that is used; Node has it too. */
export interface WebSocketLike {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  /** Node says what failed; browsers do not. */
  onerror: ((event: { readonly message?: string }) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

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

import type { Duplex } from "node:stream";

/** What carries Node's own `fetch` and `WebSocket`, and may be given to a `WebSocket`. */
type Dispatcher = NonNullable<WebSocketInit["dispatcher"]>;

/**
 * A WebSocket that can be closed without its peer. A proper close waits for the peer's answer, with
 * no limit: of a peer that is gone, the usual reason to close, it never comes, and the connection
 * would stay, and keep the process alive. So `close` says good-bye and destroys the connection,
 * which is caught where Node hands it to the WebSocket.
 */
export function closingWebSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
): { readonly socket: WebSocket; readonly close: () => void } {
  let connection: Duplex | undefined;
  const dispatcher = {
    dispatch: (options: never, handler: object) =>
      nodesOwn().dispatch(
        options,
        new Proxy(handler, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== "function") return member;
            if (name !== "onUpgrade" && name !== "onRequestUpgrade") return member.bind(target);
            // The connection is the last argument of either, the former and the newer name.
            return (...args: Array<unknown>) => {
              connection = args.at(-1) as Duplex;
              return member.apply(target, args);
            };
          },
        }) as never,
      ),
  };
  const socket = new WebSocket(url, { headers, dispatcher: dispatcher as unknown as Dispatcher });
  return {
    socket,
    close: () => {
      socket.close();
      connection?.destroy();
    },
  };
}

/** The dispatcher that Node uses itself; it is there when a WebSocket has been made. */
function nodesOwn(): Dispatcher {
  return (globalThis as unknown as Record<symbol, Dispatcher>)[
    Symbol.for("undici.globalDispatcher.1")
  ]!;
}

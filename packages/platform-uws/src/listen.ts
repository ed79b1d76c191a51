import type { TemplatedApp } from "uWebSockets.js";
import { lookup } from "node:dns/promises";
import * as Effect from "effect/Effect";
import * as NetAddress from "effect/net/NetAddress";
import { BindError } from "./BindError.ts";
import { loadNativeLibrary, type NativeLibrary, type Uws } from "./native/loadNativeLibrary.ts";

/** A listening app. */
export interface Listening {
  /** The actual address: the name resolved, port 0 replaced by the port taken. */
  readonly address: NetAddress.SocketAddress;
  readonly port: number;
  /** Stops listening; open connections stay. Call it once only. */
  readonly close: () => void;
}

/**
 * Starts listening. The port is exclusive unless `sharesPort` is set. By default the native library
 * shares it: a second server would start without an error and take half of the connections.
 */
export const listen = Effect.fnUntraced(function* (
  uws: Uws,
  app: TemplatedApp,
  host: string,
  port: number,
  sharesPort = false,
) {
  const ip = yield* Effect.tryPromise({
    try: () => lookup(host),
    catch: () => new BindError({ host, port, reason: "unresolved" }),
  });
  return yield* Effect.callback<Listening, BindError>((resume) => {
    // Otherwise every answer would show the library's name and version.
    uws._cfg("silent");
    const listenOn = app.listen as unknown as ListenWithOptions;
    const options = sharesPort ? uws.LIBUS_LISTEN_DEFAULT : uws.LIBUS_LISTEN_EXCLUSIVE_PORT;
    listenOn.call(app, ip.address, port, options, (socket) => {
      if (!socket) {
        return resume(Effect.fail(new BindError({ host, port, reason: "refused" })));
      }
      const taken = uws.us_socket_local_port(socket);
      const address = NetAddress.inetAddressFromIpStringUnsafe(ip.address, taken);
      const close = () => uws.us_listen_socket_close(socket);
      resume(Effect.succeed({ address, port: taken, close }));
    });
  });
});

/**
 * Finds a port that nobody listens on, for threads that share it: the given one, or a free one for
 * 0.
 */
export const claimPort = Effect.fnUntraced(function* (
  host: string,
  port: number,
  nativeLibrary?: NativeLibrary,
) {
  const uws = yield* loadNativeLibrary(nativeLibrary);
  const app = uws.App();
  const listening = yield* listen(uws, app, host, port);
  app.close();
  return { address: listening.address, port: listening.port };
});

/** Accepted by the binary, missing from the typings. */
type ListenWithOptions = (
  host: string,
  port: number,
  options: number,
  listening: (socket: object | false) => void,
) => void;

declare module "uWebSockets.js" {
  /** Process-wide switches of the binary; missing from the typings. */
  export function _cfg(name: "silent"): void;
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  export const LIBUS_LISTEN_DEFAULT: number;
}

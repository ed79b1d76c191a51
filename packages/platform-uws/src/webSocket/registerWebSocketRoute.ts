import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_socket_context_t,
  WebSocket,
} from "uWebSockets.js";
import type { DirectResponse } from "../DirectRoute.ts";
import { makeDirectWriter } from "../directWriter.ts";
import { inspectAndCollectHeaders, inspected } from "../headerInspection.ts";
import {
  dropConnection,
  isTargetText,
  type Refusal,
  refusalOfFault,
  refusals,
  refuseRequest,
} from "../refusal.ts";
import { requestIdentifier } from "../requestIdentifier.ts";
import type { ServerState } from "../ServerState.ts";
import { handshakeFault, WEBSOCKET_VERSION } from "./handshake.ts";
import { peerAddress } from "./peerAddress.ts";
import { UwsSocket } from "./UwsSocket.ts";
import type { UpgradeRequest, WebSocketRoute } from "./WebSocketRoute.ts";

const MESSAGE_BYTES_MAX = 16_384;
const BUFFERED_BYTES_MAX = 262_144;
const IDLE_SECONDS = 60;
const CONNECTIONS_MAX = 10_000;

/** The native socket's user data. */
interface SocketData {
  /**
   * Dropped once the connection is open: the headers of thousands of idle connections would add up.
   */
  request: UpgradeRequest | undefined;
  socket: UwsSocket | undefined;
}

/** Adds the route to the app. Every upgrade is decided within its own callback. */
export function registerWebSocketRoute(
  app: TemplatedApp,
  route: WebSocketRoute,
  state: ServerState,
): void {
  const { path } = route;
  const { crossOrigin, lifecycle, queryBytesMax, sockets } = state;
  const { bufferedBytesMax = BUFFERED_BYTES_MAX, messageBytesMax = MESSAGE_BYTES_MAX } = route;
  const bounds = { bufferedBytesMax, messageBytesMax };
  const connectionsMax = route.connectionsMax ?? CONNECTIONS_MAX;
  const writer = makeDirectWriter(state, { method: "GET", path, handle: neverAsked }, "GET");
  const reportFor = (requestId: string) => (cause: unknown) =>
    state.report(cause, { method: "GET", path }, requestId);

  app.ws<SocketData>(path, {
    // Both above our own bounds, at which we close with a code: the native library closes without
    // one.
    maxPayloadLength: 2 * messageBytesMax,
    maxBackpressure: 4 * bufferedBytesMax,
    closeOnBackpressureLimit: true,
    idleTimeout: route.idleSeconds ?? IDLE_SECONDS,
    sendPingsAutomatically: true,
    upgrade: onRequest,
    open: (native) => {
      const data = native.getUserData();
      const request = data.request!;
      const report = reportFor(request.requestId);
      const { peerAddress, header } = request;
      const client = state.identify({ peerAddress: () => peerAddress, header });
      const socket = new UwsSocket(native as WebSocket<unknown>, {
        ...{ bounds, client, report },
        answers: state.answers,
      });
      data.request = undefined;
      data.socket = socket;
      sockets.add(socket);
      socket.opened((connection) => route.open(connection, request));
    },
    message: (native, bytes, isBinary) => native.getUserData().socket?.message(bytes, isBinary),
    drain: (native) => native.getUserData().socket?.drained(),
    close: (native) => {
      // The native library does not report the end of an upgraded connection to its filter.
      state.connections.closed();
      const { socket } = native.getUserData();
      if (socket === undefined) return;
      sockets.delete(socket);
      socket.closed();
    },
  });
  // Requests that the native library does not take for an upgrade.
  app.get(path, (response, request) => onRequest(response, request, undefined));

  function onRequest(
    response: HttpResponse,
    request: HttpRequest,
    context: us_socket_context_t | undefined,
  ): void {
    // First of all: without it, returning or throwing before an answer ends the process.
    response.onAborted(lifecycle.requestEnded);
    lifecycle.requestBegan();
    try {
      handle(response, request, context);
    } catch (cause) {
      reportFor("")(cause);
      dropConnection(response);
    }
  }

  function handle(
    response: HttpResponse,
    request: HttpRequest,
    context: us_socket_context_t | undefined,
  ): void {
    // No prototype: a header may be named `constructor`.
    const headers: Record<string, string> = Object.create(null);
    const headerFault = inspectAndCollectHeaders(request, headers);
    if (headerFault === "framing") {
      dropConnection(response);
      return;
    }
    const requestId = requestIdentifier(inspected.requestId);
    const query = request.getQuery() ?? "";
    const crossOriginLines = crossOrigin.lines(inspected.origin, "GET", () => path);
    const refusal =
      refusalOfFault[headerFault] ??
      (isTargetText(query) ? undefined : refusals.target) ??
      (query.length > queryBytesMax ? refusals.query : undefined) ??
      handshakeFault(headers) ??
      (lifecycle.refusing ? refusals.closing : undefined) ??
      (crossOrigin.admits(inspected.origin, inspected.host) ? undefined : foreignOrigin) ??
      (sockets.count >= connectionsMax ? refusals.busy : undefined);
    const lines = [...crossOriginLines, ...UPGRADE_LINES];
    const refused = { method: "GET", path, requestId, crossOriginLines: lines };
    if (refusal !== undefined || context === undefined) {
      refuseRequest(response, state, refusal ?? unseen, refused, lifecycle.requestEnded);
      return;
    }
    const upgrade: UpgradeRequest = {
      peerAddress: peerAddress(response.getRemoteAddress()),
      query,
      header: (name) => headers[name] ?? "",
      requestId,
    };
    let answer: DirectResponse | undefined;
    try {
      answer = route.admit?.(upgrade);
    } catch (cause) {
      reportFor(requestId)(cause);
      refuseRequest(response, state, refusals.internal, refused, lifecycle.requestEnded);
      return;
    }
    if (answer !== undefined) {
      const asked = { parameters: [], query, body: "", requestId };
      writer.write(response, asked, crossOriginLines, answer, inspected.closes);
      return;
    }
    const data: SocketData = { request: upgrade, socket: undefined };
    // No subprotocol and no extension: compression would cost more than it saves.
    response.upgrade(data, headers["sec-websocket-key"]!, "", "", context);
    lifecycle.requestEnded();
  }
}

const foreignOrigin: Refusal = {
  status: 403,
  code: "INVALID_REQUEST",
  detail: "Pages of this origin may not connect",
};

/** The native library found no key, but our check passed: this cannot happen. */
const unseen: Refusal = refusals.malformed;

/** 426 must have these headers; other answers may. */
const UPGRADE_LINES = [
  ["upgrade", "websocket"],
  ["sec-websocket-version", WEBSOCKET_VERSION],
] as const;

const neverAsked = (): DirectResponse => {
  throw new Error("An upgrade has no handler");
};

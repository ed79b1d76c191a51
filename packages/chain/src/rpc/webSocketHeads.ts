import { Cause, Effect, Predicate, Queue, Stream } from "effect";
import { WebSocket } from "ws";
import { basicAuthorisation } from "./basicAuthorisation.ts";
import { TransportError } from "./Transport.ts";

/** A header has about 2,000 bytes. */
const MESSAGE_BYTES_MAX = 2 ** 20;
/** A slow consumer of heads does not need old ones. */
const KEPT_HEADS = 16;
const TOO_LONG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
const SUBSCRIBE_ID = 1;
const SUBSCRIBE = JSON.stringify({
  jsonrpc: "2.0",
  id: SUBSCRIBE_ID,
  method: "eth_subscribe",
  params: ["newHeads"],
});

/**
 * Headers as a node announces them, unchecked. Fails when the connection cannot be made or closes,
 * when the node refuses to subscribe, or when a message is not JSON or longer than a mebibyte. The
 * connection, and with it the subscription, ends with the stream.
 */
export function webSocketHeads(url: string): Stream.Stream<unknown, TransportError> {
  const listen = (queue: Queue.Queue<unknown, TransportError | Cause.Done>) =>
    Effect.gen(function* () {
      const socket = yield* openSocket(url);
      let subscription: string | undefined;
      const fail = (reason: TransportError["reason"], detail: string) =>
        Queue.failCauseUnsafe(queue, Cause.fail(new TransportError({ reason, detail })));
      socket.on("open", () => socket.send(SUBSCRIBE));
      socket.on("error", (error: NodeJS.ErrnoException) =>
        error.code === TOO_LONG
          ? fail("TooLarge", "a message of more than a mebibyte")
          : fail("Unreachable", "the WebSocket failed"),
      );
      socket.on("close", (code) => fail("Closed", `closed with code ${code}`));
      socket.on("message", (data, isBinary) => {
        const said = read(isBinary ? undefined : String(data), subscription);
        if (said.kind === "head") Queue.offerUnsafe(queue, said.head);
        if (said.kind === "subscribed") subscription = said.subscription;
        if (said.kind === "unusable") fail("Closed", said.detail);
      });
    });
  return Stream.callback(listen, { bufferSize: KEPT_HEADS, strategy: "sliding" });
}

const openSocket = (url: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const { bareUrl, headers } = basicAuthorisation(url);
        return new WebSocket(bareUrl, { headers, maxPayload: MESSAGE_BYTES_MAX });
      },
      catch: () => new TransportError({ reason: "Unreachable", detail: "no WebSocket URL" }),
    }),
    // A proper close waits for the peer's answer, which a lost peer never gives.
    (socket) => Effect.sync(() => socket.terminate()),
  );

type Said =
  | { readonly kind: "head"; readonly head: unknown }
  | { readonly kind: "subscribed"; readonly subscription: string }
  | { readonly kind: "other" }
  | { readonly kind: "unusable"; readonly detail: string };

/** What a message means to the holder of a subscription, or to one who waits for it. */
function read(text: unknown, subscription: string | undefined): Said {
  if (typeof text !== "string") return { kind: "unusable", detail: "a message that is no text" };
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: "unusable", detail: "a message that is no JSON" };
  }
  if (!Predicate.isObject(message)) return { kind: "unusable", detail: "a message that is odd" };
  if (subscription === undefined && message["id"] === SUBSCRIBE_ID) {
    const result = message["result"];
    return typeof result === "string"
      ? { kind: "subscribed", subscription: result }
      : { kind: "unusable", detail: "the node refuses to announce heads" };
  }
  const params = message["params"];
  if (subscription !== undefined && Predicate.isObject(params)) {
    if (params["subscription"] === subscription) return { kind: "head", head: params["result"] };
  }
  return { kind: "other" };
}

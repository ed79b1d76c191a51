import { Clock, Effect, Stream } from "effect";
import { type HttpReply, type Transport, TransportError } from "../../src/rpc/Transport.ts";

export interface Call {
  readonly url: string;
  readonly method: string;
  readonly id: number;
  readonly atMs: number;
}

/** A node's handling of a request. */
export type Node = (call: Call) => Effect.Effect<HttpReply, TransportError>;

/** A network of scripted nodes; each may be replaced at any time. */
export class ScriptedTransport implements Transport {
  readonly calls: Array<Call> = [];
  /** Methods of requests that were cancelled. */
  readonly interrupted: Array<string> = [];
  readonly nodes: Record<string, Node>;
  connections: Record<string, () => Stream.Stream<unknown, TransportError>> = {};

  constructor(nodes: Record<string, Node>) {
    this.nodes = nodes;
  }

  readonly post = (url: string, body: string) =>
    Effect.gen({ self: this }, function* () {
      const { method, id } = JSON.parse(body);
      const call = { url, method, id, atMs: yield* Clock.currentTimeMillis };
      this.calls.push(call);
      return yield* this.nodes[url]!(call).pipe(
        Effect.onInterrupt(() => Effect.sync(() => this.interrupted.push(method))),
      );
    });

  readonly heads = (url: string) => this.connections[url]?.() ?? Stream.never;

  /** When requests of a method went to a node. */
  times(url: string, method: string): ReadonlyArray<number> {
    return this.calls
      .filter((call) => call.url === url && call.method === method)
      .map(({ atMs }) => atMs);
  }
}

export const CHAIN_ID = 8453;

/** A healthy node: it knows its chain, and answers anything else with its own URL. */
export const good: Node = ({ id, method, url }) =>
  answer({
    jsonrpc: "2.0",
    id,
    result: method === "eth_chainId" ? `0x${CHAIN_ID.toString(16)}` : url,
  });

/** A node that is healthy except for one method. */
export const goodBut =
  (method: string, node: Node): Node =>
  (call) =>
    call.method === method ? node(call) : good(call);

export const down: Node = () =>
  Effect.fail(new TransportError({ reason: "Unreachable", detail: "ECONNREFUSED" }));

export const hanging: Node = () => Effect.never;

export const ofChain =
  (chainId: number): Node =>
  (call) =>
    call.method === "eth_chainId"
      ? answer({ jsonrpc: "2.0", id: call.id, result: `0x${chainId.toString(16)}` })
      : good(call);

export const refusing =
  (code: number, message: string): Node =>
  ({ id }) =>
    answer({ jsonrpc: "2.0", id, error: { code, message } });

export const replying =
  (reply: Partial<HttpReply>): Node =>
  () =>
    Effect.succeed({ status: 200, retryAfter: undefined, body: "", ...reply });

function answer(envelope: object) {
  return Effect.succeed({ status: 200, retryAfter: undefined, body: JSON.stringify(envelope) });
}

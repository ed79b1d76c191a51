import { Effect } from "effect";
import { BaseError, type Client, createClient, type HttpTransport, http } from "viem";
import { DevnetError } from "../DevnetError.ts";
import { JsonRpc, RefusedRequest } from "./JsonRpc.ts";

/** A devnet's node, as its deployer and traders use it. */
export interface Node {
  /** For viem's actions; `attempt` turns them into Effects. */
  readonly client: Client<HttpTransport>;
  /** The `result` of a JSON-RPC request. */
  readonly request: <A>(
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<A, DevnetError>;
}

/** Up to `batchSize` requests of one event loop turn are sent together; 1 sends each alone. */
export function makeNode(url: string, batchSize = 1): Node {
  const rpc = new JsonRpc(url, batchSize);
  return {
    client: createClient({ transport: http(url, { retryCount: 0, timeout: 60_000 }) }),
    request: (method, params) => attempt(() => rpc.request(method, params) as Promise<never>),
  };
}

/** Turns a viem action, or a request, into an Effect. */
export const attempt = <A>(action: () => Promise<A>): Effect.Effect<A, DevnetError> =>
  Effect.tryPromise({ try: action, catch: toDevnetError });

function reasonOf(cause: unknown): DevnetError["reason"] {
  if (!(cause instanceof RefusedRequest)) return "Unreachable";
  return cause.isUnsupported ? "Unsupported" : "Refused";
}

/** The alternative where a node lacks a method. */
export const whereUnsupported =
  <A>(otherwise: () => Effect.Effect<A, DevnetError>) =>
  (asked: Effect.Effect<A, DevnetError>): Effect.Effect<A, DevnetError> =>
    Effect.catch(asked, (error) =>
      error.reason === "Unsupported" ? otherwise() : Effect.fail(error),
    );

function toDevnetError(cause: unknown): DevnetError {
  if (!(cause instanceof BaseError)) {
    return new DevnetError({ reason: reasonOf(cause), detail: String(cause) });
  }
  const isUnreachable =
    cause.walk((error) => error instanceof Error && error.name === "HttpRequestError") !== null;
  return new DevnetError({
    reason: isUnreachable ? "Unreachable" : "Refused",
    detail: `${cause.shortMessage} ${cause.details ?? ""}`,
  });
}

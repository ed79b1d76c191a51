import type { RpcError } from "./RpcError.ts";
import type { HttpReply } from "./Transport.ts";

/** What a reply says; its texts are the node's own, not yet safe for logs. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly reason: RpcError["reason"];
      readonly detail: string;
      readonly code?: number;
    };

/** The body of a JSON-RPC 2.0 request. */
export function encodeRequest(id: number, method: string, params: ReadonlyArray<unknown>): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/**
 * What a node replied to request `id`. Providers send refusals with any status, so a JSON-RPC error
 * counts as a refusal whatever the status, except 502 to 504: behind these no node has answered.
 */
export function decodeReply(id: number, reply: HttpReply): RpcAnswer {
  const envelope = parseObject(reply.body);
  const error = envelope && errorOf(id, envelope);
  const { status } = reply;
  if (status === 429) return failure("RateLimited", `HTTP 429 ${error?.message ?? ""}`);
  if (status >= 502 && status <= 504) {
    return failure("Unreachable", `HTTP ${status} ${error?.message ?? ""}`);
  }
  if (error !== undefined) {
    return isRateLimit(error)
      ? failure("RateLimited", `${error.code} ${error.message}`)
      : { ...failure("Refused", error.message), code: error.code };
  }
  if (status === 413) return failure("TooLarge", "HTTP 413");
  if (status < 200 || status > 299) return failure("Unreachable", `HTTP ${status}`);
  if (envelope === undefined) {
    return failure("Malformed", `no JSON object: ${reply.body.slice(0, 80)}`);
  }
  if (own(envelope, "id") !== id) return failure("Malformed", "the answer to another request");
  if (own(envelope, "error") != null) return failure("Malformed", "an error without code or text");
  if (!Object.hasOwn(envelope, "result")) return failure("Malformed", "no result");
  return { ok: true, result: own(envelope, "result") };
}

interface NodeError {
  readonly code: number;
  readonly message: string;
}

/** The error member; a gateway that did not read the request cannot know its id. */
function errorOf(id: number, envelope: object): NodeError | undefined {
  const error = own(envelope, "error");
  if (typeof error !== "object" || error === null) return undefined;
  if ((own(envelope, "id") ?? id) !== id || own(envelope, "result") != null) return undefined;
  const code = own(error, "code");
  const message = own(error, "message");
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { code, message };
}

const RATE =
  /too many request|rate.?limit|request rate|request count|per (second|minute|day)|\/sec(ond)?\b|throughput|quota/i;
const QUESTION = /\b(results?|range|blocks|logs|response size|revert(ed)?)\b/i;

/**
 * Whether the node refuses because it was asked too often. Code -32005 may also mean that the
 * question was too large, and a contract's revert may say anything.
 */
function isRateLimit({ code, message }: NodeError): boolean {
  if (code === 429) return true;
  if (code === 3 || QUESTION.test(message)) return false;
  return code === -32005 || RATE.test(message);
}

function failure(reason: RpcError["reason"], detail: string) {
  return { ok: false, reason, detail } as const;
}

function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { Schema } from "effect";

/** Why a node's answer cannot be used. */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  /** The endpoint's name; never its URL, which may hold a key. */
  endpoint: Schema.String,
  method: Schema.String,
  /**
   * Refused: a JSON-RPC error (a revert, a range too long, an unknown block).
   * BadData: answers that contradict each other, or the chain.
   */
  reason: Schema.Literals([
    "Unreachable",
    "TimedOut",
    "RateLimited",
    "TooLarge",
    "Malformed",
    "Refused",
    "BadData",
    "WrongChain",
  ]),
  detail: Schema.String,
  /** JSON-RPC error code of a refusal. */
  code: Schema.optionalKey(Schema.Number),
}) {}

/**
 * The error for an answer that contradicts itself or another one, or that no contract would give.
 */
export function badData(
  endpoint: { readonly name: string },
  method: string,
  detail: string,
): RpcError {
  return new RpcError({ endpoint: endpoint.name, method, reason: "BadData", detail });
}

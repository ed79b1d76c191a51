import { Schema } from "effect";

/** Why a devnet did not start, or did not do what it was asked. */
export class DevnetError extends Schema.TaggedError<DevnetError>()("DevnetError", {
  /**
   * NotInstalled: anvil, or a contract's artifact, is missing; they are development dependencies.
   * NotStarted: anvil ended, or printed nothing, before it was ready. Unreachable: it did not
   * answer. Refused: it answered a request with an error. Unsupported: it has no such method.
   * Reverted: a transaction of the set-up failed on the chain.
   */
  reason: Schema.Literals([
    "NotInstalled",
    "NotStarted",
    "Unreachable",
    "Refused",
    "Unsupported",
    "Reverted",
  ]),
  detail: Schema.String,
}) {}

import { Schema } from "effect";

/** Why there is no devnet, or why it did not do what it was asked for. */
export class DevnetError extends Schema.TaggedError<DevnetError>()("DevnetError", {
  /**
   * NotInstalled: anvil, or a contract's artifact, is not here; they are development dependencies.
   * NotStarted: anvil ended, or said nothing, before it was ready.
   * Unreachable: it did not answer. Refused: it answered a request with an error. Unsupported: it
   * has no such method.
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

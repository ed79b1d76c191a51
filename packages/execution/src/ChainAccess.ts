import { Data, type Effect } from "effect";

/** The `result` of a JSON-RPC request to some node of the network, unchecked. */
export type ChainAccess = (
  method: string,
  params: ReadonlyArray<unknown>,
) => Effect.Effect<unknown, ChainAccessError>;

/** A node gave no answer, or none that can be used. */
export class ChainAccessError extends Data.TaggedError("ChainAccessError")<{
  /** Refused: the node answered with an error, as for a call that reverts. */
  readonly reason: "Unavailable" | "Refused" | "Malformed";
  readonly detail: string;
  /** What a reverted call returned. */
  readonly data?: `0x${string}`;
}> {}

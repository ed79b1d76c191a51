import { Data } from "effect";

/** Why bytes are no snapshot of a chain. */
export class ChainSnapshotError extends Data.TaggedError("ChainSnapshotError")<{
  readonly reason: "NotASnapshot" | "UnknownVersion" | "Damaged" | "Inconsistent";
  readonly detail: string;
}> {}

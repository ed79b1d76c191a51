import { Data } from "effect";

/** Why bytes are not a chain snapshot. */
export class ChainSnapshotError extends Data.TaggedError("ChainSnapshotError")<{
  readonly reason: "NotASnapshot" | "UnknownVersion" | "Damaged" | "Inconsistent";
  readonly detail: string;
}> {}

import { Data, type Effect } from "effect";

/**
 * The medium for snapshots: a folder in service, a simulated disk in tests. Names are file names in
 * one folder. What is written is safe only after `sync`, a name only after `syncNames`.
 */
export interface Disk {
  /** Names of all files. */
  readonly list: Effect.Effect<ReadonlyArray<string>, DiskError>;
  readonly read: (name: string) => Effect.Effect<Uint8Array, DiskError>;
  /** Creates the file, or replaces its whole content. */
  readonly write: (name: string, bytes: Uint8Array) => Effect.Effect<void, DiskError>;
  readonly sync: (name: string) => Effect.Effect<void, DiskError>;
  readonly rename: (from: string, to: string) => Effect.Effect<void, DiskError>;
  readonly remove: (name: string) => Effect.Effect<void, DiskError>;
  readonly syncNames: Effect.Effect<void, DiskError>;
}

export class DiskError extends Data.TaggedError("DiskError")<{
  readonly operation:
    | "open"
    | "list"
    | "read"
    | "write"
    | "sync"
    | "rename"
    | "remove"
    | "syncNames";
  readonly name: string;
  readonly detail: string;
}> {}

import { Data, type Effect } from "effect";

/**
 * What snapshots are kept on: a folder in service, a simulated disk in tests. Names are of files in
 * one folder. Nothing that is written is safe before `sync`, no name before `syncNames`.
 */
export interface Disk {
  /** Names of all files. */
  readonly list: Effect.Effect<ReadonlyArray<string>, DiskError>;
  readonly read: (name: string) => Effect.Effect<Uint8Array, DiskError>;
  /** Makes the file, or replaces all of it. */
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

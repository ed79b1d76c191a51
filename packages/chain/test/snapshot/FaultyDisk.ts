import { Effect } from "effect";
import { type Disk, DiskError } from "../../src/disk/Disk.ts";

type Operation = DiskError["operation"];
type Names = ReadonlyMap<string, File>;

interface File {
  content: Uint8Array;
  /** The content of the last sync; undefined before the first. */
  safe: Uint8Array | undefined;
}

export interface Fault {
  /** Index of the operation among those that change something. */
  readonly step: number;
  /**
   * `before`: nothing is done. `halfway`: half of a write is done. `after`: everything is done, but
   * an error is reported.
   */
  readonly when: "before" | "halfway" | "after";
}

/** A disk in memory, which tracks what a crash may lose. */
export class FaultyDisk implements Disk {
  /** Operations that changed something since `arm`, each with its name. */
  readonly trace: string[] = [];
  /** Names that were read since the start. */
  readonly reads: string[] = [];
  #files: Map<string, File>;
  /** Possible names after a crash: as of the last `syncNames`, and after each change since. */
  #possibleNames: Names[];
  #fault: Fault | undefined;

  constructor(files: Names = new Map()) {
    this.#files = new Map(files);
    this.#possibleNames = [new Map(files)];
  }

  /** Fails one operation; forgets the trace. */
  arm(fault: Fault | undefined): void {
    this.#fault = fault;
    this.trace.length = 0;
  }

  /** A disk with the same files, all of them safe. */
  copy(): FaultyDisk {
    const files = [...this.#files].map(
      ([name, { content }]) => [name, { content, safe: content }] as const,
    );
    return new FaultyDisk(new Map(files));
  }

  /**
   * All disks that a crash may leave now: with the names after any change since the last sync of
   * names, and with unsynced files in their former state, empty, torn, or whole.
   */
  crashes(): FaultyDisk[] {
    return this.#possibleNames.flatMap((names) =>
      (["safe", "empty", "torn", "whole"] as const).map((outcome) => {
        const left = [...names].map(([name, file]) => {
          const content = file.safe === file.content ? file.content : survived(file, outcome);
          return [name, { content, safe: content }] as const;
        });
        return new FaultyDisk(new Map(left));
      }),
    );
  }

  readonly list = Effect.sync(() => [...this.#files.keys()]);

  readonly read = (name: string) =>
    Effect.suspend(() => {
      this.reads.push(name);
      const file = this.#files.get(name);
      return file === undefined
        ? Effect.fail(new DiskError({ operation: "read", name, detail: "no such file" }))
        : Effect.succeed(file.content.slice());
    });

  readonly write = (name: string, bytes: Uint8Array) =>
    this.#change("write", name, (share) => {
      const content = bytes.slice(0, Math.floor(bytes.length * share));
      const file = this.#files.get(name);
      if (file === undefined) this.#files.set(name, { content, safe: undefined });
      else file.content = content;
    });

  readonly sync = (name: string) =>
    this.#change("sync", name, () => {
      const file = this.#files.get(name)!;
      file.safe = file.content;
    });

  readonly rename = (from: string, to: string) =>
    this.#change("rename", from, () => {
      const file = this.#files.get(from)!;
      this.#files.delete(from);
      this.#files.set(to, file);
    });

  readonly remove = (name: string) =>
    Effect.suspend(() =>
      this.#files.has(name)
        ? this.#change("remove", name, () => this.#files.delete(name))
        : Effect.fail(new DiskError({ operation: "remove", name, detail: "no such file" })),
    );

  readonly syncNames = this.#change("syncNames", "", () => {
    this.#possibleNames = [];
  });

  #change(
    operation: Operation,
    name: string,
    apply: (share: number) => void,
  ): Effect.Effect<void, DiskError> {
    return Effect.suspend(() => {
      const fault = this.trace.length === this.#fault?.step ? this.#fault : undefined;
      this.trace.push(`${operation} ${name}`);
      const isWrite = operation === "write";
      if (fault === undefined || fault.when === "after" || (fault.when === "halfway" && isWrite)) {
        apply(fault?.when === "halfway" ? 0.5 : 1);
        this.#possibleNames.push(new Map(this.#files));
      }
      return fault === undefined
        ? Effect.void
        : Effect.fail(new DiskError({ operation, name, detail: "ENOSPC: no space left" }));
    });
  }
}

function survived(file: File, outcome: "safe" | "empty" | "torn" | "whole"): Uint8Array {
  if (outcome === "whole") return file.content;
  if (outcome === "torn") return file.content.slice(0, Math.floor(file.content.length * 0.7));
  return outcome === "safe" && file.safe !== undefined ? file.safe : new Uint8Array(0);
}

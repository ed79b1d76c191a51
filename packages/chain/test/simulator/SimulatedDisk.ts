import type { RandomSource } from "@millrace/testing";
import { Effect } from "effect";
import { type Disk, DiskError } from "../../src/disk/Disk.ts";
import type { Faults } from "./Faults.ts";

/** A file's content, independent of its name. */
interface File {
  /** The content that programs see. */
  now: Uint8Array;
  /** The content after a power loss. */
  safe: Uint8Array;
}

/** A disk that loses unsynced data, fills up, and fails. It outlives the programs on it. */
export class SimulatedDisk {
  #names = new Map<string, File>();
  #safeNames = new Map<string, File>();
  readonly #faults: Faults;
  readonly #dice: RandomSource;
  #program = 0;

  constructor(faults: Faults, dice: RandomSource) {
    this.#faults = faults;
    this.#dice = dice;
  }

  /** The disk as one program sees it, until `stop`. */
  open(): Disk {
    const program = ++this.#program;
    const guard = (
      operation: Operation,
      name: string,
      act: () => void,
    ): Effect.Effect<void, DiskError> =>
      Effect.flatMap(Effect.sleep(this.#dice.between(1, 30)), () =>
        Effect.suspend(() => {
          const detail =
            program === this.#program ? this.#trouble(operation, name) : "no such program";
          if (detail !== undefined) return Effect.fail(new DiskError({ operation, name, detail }));
          act();
          return Effect.void;
        }),
      );
    const find = (operation: Operation, name: string) =>
      Effect.suspend(() => {
        const file = this.#names.get(name);
        const absent = new DiskError({ operation, name, detail: "ENOENT" });
        return file === undefined ? Effect.fail(absent) : Effect.succeed(file);
      });
    return {
      list: Effect.map(
        guard("list", "", () => undefined),
        () => [...this.#names.keys()],
      ),
      read: (name) =>
        Effect.flatMap(
          guard("read", name, () => undefined),
          () => Effect.map(find("read", name), ({ now }) => now.slice()),
        ),
      write: (name, bytes) => this.#write(guard, name, bytes.slice()),
      sync: (name) =>
        Effect.flatMap(find("sync", name), (file) =>
          guard("sync", name, () => {
            file.safe = file.now;
          }),
        ),
      rename: (from, to) =>
        Effect.flatMap(find("rename", from), (file) =>
          guard("rename", from, () => {
            this.#names.delete(from);
            this.#names.set(to, file);
          }),
        ),
      remove: (name) =>
        Effect.flatMap(find("remove", name), () =>
          guard("remove", name, () => this.#names.delete(name)),
        ),
      syncNames: guard("syncNames", "", () => {
        this.#safeNames = new Map(this.#names);
      }),
    };
  }

  /**
   * Ends the program at this instant. After a power loss, unsynced data is there, missing, or torn.
   */
  stop(): void {
    this.#program++;
    if (this.#faults.strikes("powerLoss")) this.#losePower();
    const files = [...this.#names.values()].filter(({ now }) => now.length > 0);
    if (files.length > 0 && this.#faults.strikes("bitRot")) this.#rot(this.#dice.pick(files));
  }

  /** True when the disk holds anything. */
  get isUsed(): boolean {
    return this.#names.size > 0;
  }

  /** Writes in two steps, so that a stop or a full disk leaves half of the data. */
  #write(guard: Guard, name: string, bytes: Uint8Array): Effect.Effect<void, DiskError> {
    const start = guard("write", name, () => {
      const old = this.#names.get(name);
      const torn = bytes.slice(0, this.#dice.integer(bytes.length + 1));
      if (old === undefined) this.#names.set(name, { now: torn, safe: new Uint8Array() });
      else old.now = torn;
    });
    const rest = guard("write", name, () => {
      this.#names.get(name)!.now = bytes;
    });
    return Effect.andThen(start, rest);
  }

  #trouble(operation: Operation, name: string): string | undefined {
    if (operation === "write" && this.#faults.strikes("noSpace")) return "ENOSPC";
    if (operation === "sync" && this.#faults.strikes("failedSync")) {
      // The kernel forgets that the pages were dirty: they read well until a power loss.
      const file = this.#names.get(name);
      if (file !== undefined)
        file.safe = file.now.slice(0, this.#dice.integer(file.now.length + 1));
      return "EIO";
    }
    return this.#faults.strikes("inputOutput") ? "EIO" : undefined;
  }

  #losePower(): void {
    const survivors = new Map<string, File>();
    for (const name of new Set([...this.#names.keys(), ...this.#safeNames.keys()])) {
      const source = this.#dice.chance(0.5) ? this.#names : this.#safeNames;
      const file = source.get(name);
      if (file === undefined) continue;
      const kept = this.#dice.integer(file.now.length + 1);
      const left = this.#dice.pick([
        file.safe,
        file.now,
        file.now.slice(0, kept),
        new Uint8Array(file.now.length),
      ]);
      const content = file.safe === file.now ? file.now : left;
      survivors.set(name, { now: content, safe: content });
    }
    this.#names = survivors;
    this.#safeNames = new Map(survivors);
  }

  #rot(file: File): void {
    const now = file.now.slice();
    now[this.#dice.integer(now.length)]! ^= 1 << this.#dice.integer(8);
    file.now = now;
    file.safe = now;
  }
}

type Operation = DiskError["operation"];

type Guard = (
  operation: Operation,
  name: string,
  act: () => void,
) => Effect.Effect<void, DiskError>;

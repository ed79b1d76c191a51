import { Effect, Random, Semaphore, Stream } from "effect";
import type { Disk, DiskError } from "../disk/Disk.ts";
import type { ChainSnapshot } from "./ChainSnapshot.ts";
import { decodeChainSnapshot } from "./decodeChainSnapshot.ts";
import { encodeChainSnapshot } from "./encodeChainSnapshot.ts";

/** Keeps the last two snapshots of a chain on a disk. */
export interface SnapshotStore {
  /**
   * Writes a generation, and when that is safe, removes all but the one before. When it fails, the
   * former generations remain as they were. Saves wait for each other.
   */
  readonly save: (snapshot: ChainSnapshot) => Effect.Effect<void, DiskError>;
  /**
   * The sound snapshots, newest first; each is read only on demand. Files that are damaged,
   * unreadable, of another chain or of other DEXes are named in the log and skipped.
   */
  readonly load: Stream.Stream<ChainSnapshot>;
}

interface SnapshotStoreOptions {
  readonly disk: Disk;
  readonly chainId: number;
  /** `ChainSnapshot.dexes` that a snapshot must have to be used. */
  readonly dexes: string;
}

/**
 * A store on a disk that may be shared with stores of other chains. A file's name gives chain and
 * generation: `chain-8453-17.snapshot`. A save writes under a temporary name and renames when all
 * is synced, so a file with a generation's name is always whole, even with two processes on one
 * disk.
 */
export function makeSnapshotStore({ disk, chainId, dexes }: SnapshotStoreOptions): SnapshotStore {
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1);
  // Names of files that loading found useless.
  const useless = new Set<string>();

  const save = Effect.fnUntraced(function* (snapshot: ChainSnapshot) {
    if (snapshot.chainId !== chainId || snapshot.dexes !== dexes) {
      throw new RangeError(`a snapshot of chain ${snapshot.chainId}, or of other dexes`);
    }
    const bytes = yield* encodeChainSnapshot(snapshot);
    const names = yield* disk.list;
    const former = generationsIn(names, chainId);
    const generation = (former[0]?.number ?? 0) + 1;
    const name = `${prefix(chainId)}${generation}${SUFFIX}`;
    const tag = yield* Random.nextIntBetween(0, 2 ** 32 - 1);
    const torn = `${prefix(chainId)}${generation}-${tag}${TORN_SUFFIX}`;
    yield* disk.write(torn, bytes).pipe(
      Effect.andThen(disk.sync(torn)),
      Effect.andThen(disk.rename(torn, name)),
      // A full disk must not stay full because of it.
      Effect.onError(() => Effect.ignore(disk.remove(torn))),
    );
    yield* disk.syncNames;
    useless.delete(name);
    const kept = former.find((file) => !useless.has(file.name))?.name;
    const leftovers = names.filter((each) => isTorn(each, chainId));
    const removed = [...former.map((file) => file.name), ...leftovers];
    yield* Effect.forEach(
      removed.filter((each) => each !== kept),
      // The new generation is safe; what cannot be removed now is left to the next save.
      (each) => Effect.ignore(disk.remove(each)),
    );
  });

  const readName = Effect.fnUntraced(function* (name: string) {
    const snapshot = yield* Effect.flatMap(disk.read(name), decodeChainSnapshot);
    if (snapshot.chainId !== chainId) {
      return yield* skip(name, `is of chain ${snapshot.chainId}, not ${chainId}`);
    }
    if (snapshot.dexes !== dexes) return yield* skip(name, "is of other dexes");
    return snapshot;
  });

  const skip = (name: string, why: string) =>
    Effect.as(
      Effect.logWarning(`Snapshot ${name} ${why}: skipped`).pipe(
        Effect.tap(() => Effect.sync(() => useless.add(name))),
      ),
      undefined,
    );

  const read = (name: string) =>
    readName(name).pipe(
      Effect.catchTags({
        DiskError: ({ detail }) => skip(name, `cannot be read (${detail})`),
        ChainSnapshotError: ({ reason, detail }) => skip(name, `is ${PHRASES[reason]} (${detail})`),
      }),
    );

  /** The next sound snapshot among the names, and the names after it. */
  const next = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    for (const [index, name] of names.entries()) {
      const snapshot = yield* oneAtATime(read(name));
      if (snapshot !== undefined) return [snapshot, names.slice(index + 1)] as const;
    }
    return undefined;
  });

  const load = Stream.unwrap(
    disk.list.pipe(
      Effect.map((names) => generationsIn(names, chainId).map(({ name }) => name)),
      Effect.catch(({ detail }) =>
        Effect.as(Effect.logWarning(`Snapshots cannot be listed (${detail}): none is loaded`), []),
      ),
      Effect.map((names: ReadonlyArray<string>) => Stream.unfold(names, next)),
    ),
  );

  return { save: (snapshot) => oneAtATime(save(snapshot)), load };
}

const SUFFIX = ".snapshot";
const TORN_SUFFIX = ".writing";

const PHRASES = {
  NotASnapshot: "no snapshot",
  UnknownVersion: "of an unknown version",
  Damaged: "damaged",
  Inconsistent: "inconsistent",
} as const;

interface Generation {
  readonly name: string;
  readonly number: number;
}

/** The generations of a chain among file names, newest first. */
function generationsIn(names: ReadonlyArray<string>, chainId: number): Generation[] {
  const start = prefix(chainId);
  const generations = names.flatMap((name) => {
    if (!name.startsWith(start) || !name.endsWith(SUFFIX)) return [];
    const digits = name.slice(start.length, -SUFFIX.length);
    return /^[1-9]\d{0,14}$/.test(digits) ? [{ name, number: Number(digits) }] : [];
  });
  return generations.sort((a, b) => b.number - a.number);
}

function isTorn(name: string, chainId: number): boolean {
  return name.startsWith(prefix(chainId)) && name.endsWith(TORN_SUFFIX);
}

function prefix(chainId: number): string {
  return `chain-${chainId}-`;
}

import { posix } from "node:path";
import { parse } from "yaml";

/** The packages of pnpm-lock.yaml as a graph. */
export interface LockedGraph {
  /** By name and version, as `effect@4.1.0`. */
  readonly packages: ReadonlyMap<string, LockedPackage>;
  /** By folder, `.` for the root. */
  readonly workspaces: ReadonlyMap<string, Dependencies>;
}

/** Keys of packages, and of workspaces as `workspace:packages/core`. */
export interface Dependencies {
  readonly required: ReadonlySet<string>;
  /** Installed where the platform and the version of Node match. */
  readonly optional: ReadonlySet<string>;
  /** Of workspaces only: for tests and tools. */
  readonly development: ReadonlySet<string>;
}

export interface LockedPackage extends Dependencies {
  readonly name: string;
  readonly version: string;
  /** The tarball's hash: `sha512-` and base64. */
  readonly integrity: string;
}

/**
 * Reads a lockfile of version 9. A package that is installed with several sets of peers counts
 * once. Throws where a package has no hash.
 */
export function readLockfile(text: string): LockedGraph {
  const lockfile: Lockfile = parse(text);
  if (lockfile.lockfileVersion !== "9.0")
    throw new Error(`a lockfile of version ${lockfile.lockfileVersion}, not 9.0`);
  const packages = new Map<string, LockedPackage>();
  for (const [key, { resolution }] of Object.entries(lockfile.packages)) {
    const { integrity } = resolution;
    if (integrity === undefined) throw new Error(`${key} has no hash`);
    const at = key.lastIndexOf("@");
    const [name, version] = [key.slice(0, at), key.slice(at + 1)];
    const instances = Object.entries(lockfile.snapshots).filter(([id]) => keyOf(id) === key);
    packages.set(key, { name, version, integrity, ...merge(instances.map(([, each]) => each)) });
  }
  const workspaces = new Map<string, Dependencies>();
  for (const [folder, importer] of Object.entries(lockfile.importers)) {
    const kept = (found: Importer[keyof Importer]) =>
      new Set(
        Object.entries(found ?? {}).map(([name, { version }]) => keyFor(name, version, folder)),
      );
    workspaces.set(folder, {
      required: kept(importer.dependencies),
      optional: kept(importer.optionalDependencies),
      development: kept(importer.devDependencies),
    });
  }
  return { packages, workspaces };
}

interface Lockfile {
  readonly lockfileVersion: string;
  readonly importers: Readonly<Record<string, Importer>>;
  readonly packages: Readonly<Record<string, { readonly resolution: { integrity?: string } }>>;
  readonly snapshots: Readonly<Record<string, Snapshot>>;
}

type Importer = Readonly<
  Partial<
    Record<
      "dependencies" | "optionalDependencies" | "devDependencies",
      Readonly<Record<string, { readonly version: string }>>
    >
  >
>;

type Snapshot = Readonly<
  Partial<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>
>;

function merge(snapshots: ReadonlyArray<Snapshot>): Dependencies {
  const of = (kind: keyof Snapshot) =>
    new Set(
      snapshots.flatMap((snapshot) =>
        Object.entries(snapshot[kind] ?? {}).map(([name, version]) => keyFor(name, version)),
      ),
    );
  return {
    required: of("dependencies"),
    optional: of("optionalDependencies"),
    development: new Set(),
  };
}

/** The key of a dependency: a version, an alias of another package, or a workspace. */
function keyFor(name: string, version: string, folder = "."): string {
  if (version.startsWith("link:"))
    return `workspace:${posix.join(folder, version.slice("link:".length))}`;
  const key = keyOf(version);
  return key.lastIndexOf("@") > 0 ? key : `${name}@${key}`;
}

/** Removes the peers from a package's id. */
const keyOf = (id: string): string => id.split("(", 1)[0]!;

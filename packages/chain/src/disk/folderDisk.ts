import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Effect } from "effect";
import { type Disk, DiskError } from "./Disk.ts";
import { lockFolder } from "./lockFolder.ts";

/**
 * A disk in a folder, which is made when it is not there, with those above it. Names must be plain
 * file names: letters, digits, `.`, `_`, `-`, the first no `.`; others fail. Links and folders in
 * it are not listed.
 *
 * One process has a folder at a time; it may open it several times. It leaves a link in it,
 * `lock-1`, that names its machine, the machine's boot, its process id and the process's start.
 * Opening fails with DiskError `open` while that process lives. When it is gone, or the link is of
 * another machine (then nobody can know), the next link, `lock-2`, takes the folder over: only one
 * can make it.
 */
export const folderDisk = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<Disk, DiskError> {
  const folder = resolve(path);
  yield* attempt("open", folder, () => mkdir(folder, { recursive: true }));
  const holder = yield* attempt("open", folder, () => lockFolder(folder));
  if (holder !== undefined) {
    const detail = `in use by process ${holder}`;
    return yield* new DiskError({ operation: "open", name: folder, detail });
  }
  /** The operation on a file's path, or an error for a name that is none. */
  const withFile = <A>(operation: Operation, name: string, use: (file: string) => Promise<A>) =>
    PLAIN_NAME.test(name)
      ? attempt(operation, name, () => use(join(folder, name)))
      : Effect.fail(new DiskError({ operation, name, detail: "no plain file name" }));
  return {
    list: attempt("list", folder, async () => {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    }),
    read: (name) => withFile("read", name, (file) => readFile(file)),
    write: (name, bytes) => withFile("write", name, (file) => writeFile(file, bytes)),
    sync: (name) => withFile("sync", name, syncPath),
    rename: (from, to) =>
      withFile("rename", from, (fromFile) =>
        PLAIN_NAME.test(to)
          ? rename(fromFile, join(folder, to))
          : Promise.reject(new Error(`${to} is no plain file name`)),
      ),
    remove: (name) => withFile("remove", name, (file) => rm(file)),
    syncNames: attempt("syncNames", folder, () => syncPath(folder)),
  };
});

type Operation = DiskError["operation"];

const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/;

/** Cannot be interrupted: the system goes on anyway, and would do so behind the next operation. */
function attempt<A>(
  operation: Operation,
  name: string,
  run: () => Promise<A>,
): Effect.Effect<A, DiskError> {
  return Effect.uninterruptible(
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        new DiskError({
          operation,
          name,
          detail: cause instanceof Error ? cause.message : String(cause),
        }),
    }),
  );
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

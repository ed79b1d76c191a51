import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Effect } from "effect";
import { type Disk, DiskError } from "./Disk.ts";
import { lockFolder } from "./lockFolder.ts";

/**
 * A disk in a folder. The folder and its parents are created when missing. Names must be plain file
 * names: letters, digits, `.`, `_`, `-`, not beginning with `.`; others fail. Links and folders in
 * it are not listed.
 *
 * One process has a folder at a time; it may open it several times. The process leaves a link in
 * the folder, `lock-1`, that names its machine, the machine's boot, its process id and its start
 * time. Opening fails with DiskError `open` while that process lives. When that process is gone, or
 * ran on another machine (then nobody can know), the next link, `lock-2`, takes the folder over:
 * only one process can create it.
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
  /** Runs the operation on a file's path; fails for a name that is not a plain file name. */
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

/** Not interruptible: the system would finish the operation anyway, behind the next one. */
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

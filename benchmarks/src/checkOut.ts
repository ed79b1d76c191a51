import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Effect } from "effect";
import { attempt, BenchmarkError } from "./BenchmarkError.ts";
import { runChild } from "./children.ts";
import { git, ROOT } from "./git.ts";

/** Writes the files of a revision into a new folder of `home`, ready to run; gives the folder. */
export const checkOut = Effect.fnUntraced(function* (
  revision: string,
  home: string,
  name: string,
): Effect.fn.Return<string, BenchmarkError> {
  const commit = yield* commitOf(revision);
  const folder = join(home, name);
  const archive = join(home, `${name}.tar`);
  yield* git(["archive", "--format=tar", `--output=${archive}`, commit]);
  yield* attempt(() => mkdir(folder));
  yield* runChild("tar", ["-xf", archive, "-C", folder]);
  yield* attempt(async () => {
    await rm(archive);
    await linkData(home);
    if (await sameLockfile(folder)) await borrowModules(folder);
  });
  return folder;
});

function commitOf(revision: string): Effect.Effect<string, BenchmarkError> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  return git(args).pipe(
    Effect.map((hash) => hash.trim()),
    Effect.mapError(
      () => new BenchmarkError({ message: `no revision '${revision}'`, exitCode: 2 }),
    ),
  );
}

/** Benchmarks read their data beside the project's folder. */
async function linkData(home: string): Promise<void> {
  const link = join(home, "shared");
  if (!existsSync(link)) await symlink(join(dirname(ROOT), "shared"), link, "dir");
}

async function sameLockfile(folder: string): Promise<boolean> {
  const [ours, theirs] = await Promise.all(
    [ROOT, folder].map((root) => readFile(join(root, "pnpm-lock.yaml"))),
  );
  return ours!.equals(theirs!);
}

/**
 * With the same lockfile nothing has to be installed: the modules installed here are linked, and
 * the relative links of each workspace folder are copied. `run.mjs` finds its mark there.
 */
async function borrowModules(folder: string): Promise<void> {
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
  for (const workspace of await workspaceFolders(folder)) {
    const modules = join(ROOT, workspace, "node_modules");
    if (!existsSync(modules)) continue;
    await cp(modules, join(folder, workspace, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

async function workspaceFolders(folder: string): Promise<ReadonlyArray<string>> {
  const parents = ["packages", "apps"].filter((parent) => existsSync(join(folder, parent)));
  const children = await Promise.all(
    parents.map(async (parent) =>
      (await readdir(join(folder, parent))).map((child) => join(parent, child)),
    ),
  );
  return [...children.flat(), "benchmarks", "test"];
}

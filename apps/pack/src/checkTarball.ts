import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { runProgram } from "./runProgram.ts";

/** Problems of a package for its users, in words. */
export async function checkTarball(
  root: string,
  folder: string,
  tarball: string,
): Promise<ReadonlyArray<string>> {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
  const problems = messages.map(
    (message) => `publint: ${formatMessage(message, manifestOf(folder))}`,
  );
  const attw = join(dirname(here.resolve("@arethetypeswrong/cli/package.json")), "dist/index.js");
  try {
    await runProgram(
      process.execPath,
      [attw, tarball, "--profile", "esm-only", "--no-color"],
      root,
    );
  } catch (error) {
    problems.push(`attw: ${error instanceof Error ? error.message : error}`);
  }
  return problems;
}

const here = createRequire(import.meta.url);
const manifestOf = (folder: string) => here(join(folder, "package.json"));

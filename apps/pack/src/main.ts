import { mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkTarball } from "./checkTarball.ts";
import { publicPackages } from "./publicPackages.ts";
import { runProgram } from "./runProgram.ts";
import { stage } from "./stage.ts";

// npm run pack [-- --to FOLDER --unchecked NAME ...]: writes the tarballs of all published
// packages, or of those in the named folders, into FOLDER/packages (FOLDER is `dist` by default),
// and checks each as its users install it; --unchecked skips the checks. The staged packages stay
// in FOLDER/staged, where any client can pack them.

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { values, positionals } = parseArgs({
  options: { to: { type: "string" }, unchecked: { type: "boolean" } },
  allowPositionals: true,
});
const target = resolve(root, values.to ?? "dist");
const tarballs = join(target, "packages");
const staged = join(target, "staged");
for (const folder of [tarballs, staged]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const waiting = publicPackages(root).filter(
  ({ folder }) => positionals.length === 0 || positionals.includes(basename(folder)),
);
let problemCount = 0;
// Two at once: a small machine has two cores.
await Promise.all([packNext(), packNext()]);
process.exitCode = problemCount === 0 ? 0 : 1;

async function packNext(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const folder = join(staged, basename(next.folder));
    await stage(root, next, folder);
    const flags = ["--pack-destination", tarballs, "--json", "--loglevel=error"];
    const [packed] = JSON.parse(await runProgram("npm", ["pack", folder, ...flags], tarballs));
    const tarball = join(tarballs, packed.filename);
    const problems = values.unchecked ? [] : await checkTarball(root, folder, tarball);
    problemCount += problems.length;
    const size = `${Math.ceil(packed.size / 1024)} KiB, ${packed.entryCount} files`;
    process.stdout.write(`${packed.filename}: ${size}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  }
}

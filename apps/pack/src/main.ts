import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkTarball } from "./checkTarball.ts";
import { publicPackages } from "./publicPackages.ts";
import { run } from "./run.ts";
import { stage } from "./stage.ts";

// npm run pack: writes the tarballs of all packages that are published into dist/packages, and
// checks each as those do who install it. What they are packed from stays beside them, in
// dist/staged: any client packs it.

const root = new URL("../../../", import.meta.url).pathname;
const tarballs = join(root, "dist/packages");
const staged = join(root, "dist/staged");
for (const folder of [tarballs, staged]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const waiting = publicPackages(root);
let problemCount = 0;
// As many at once as there are cores on a small machine.
await Promise.all([packNext(), packNext()]);
process.exitCode = problemCount === 0 ? 0 : 1;

async function packNext(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const folder = join(staged, next.folder.split("/").at(-1)!);
    await stage(root, next, folder);
    const flags = ["--pack-destination", tarballs, "--json", "--loglevel=error"];
    const [packed] = JSON.parse(await run("npm", ["pack", folder, ...flags], tarballs));
    const problems = await checkTarball(root, folder, join(tarballs, packed.filename));
    problemCount += problems.length;
    const size = `${Math.ceil(packed.size / 1024)} KiB, ${packed.entryCount} files`;
    process.stdout.write(`${packed.filename}: ${size}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  }
}

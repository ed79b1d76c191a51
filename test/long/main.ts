import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LongRun } from "./LongRun.ts";

/**
 * All laws with larger budgets, round after round with new seeds, until the minutes are used:
 *
 *     npm run test:long -- --minutes 60 [--seed 123] [--effort 12]
 *       [--only simulator|live|rest|PATH] [--simulator-seeds 2000]
 *
 * Without a seed each run has a fresh one, which it prints first and last; an equal seed and effort
 * draw the same cases. A round begins with the seeds of the chain's simulator. Exits with 1 where
 * anything failed.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string" },
    effort: { type: "string", default: "12" },
    only: { type: "string" },
    "simulator-seeds": { type: "string", default: "2000" },
  },
});

const seed = values.seed === undefined ? freshSeed() : numberOf("seed", values.seed);
const minutes = numberOf("minutes", values.minutes);
const folder = mkdtempSync(join(tmpdir(), "millrace-long-"));
const run = new LongRun({
  folder,
  untilMs: Date.now() + minutes * 60_000,
  effort: numberOf("effort", values.effort),
  simulatorSeeds: numberOf("simulator-seeds", values["simulator-seeds"]),
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => run.stop());

console.log(`test:long --minutes ${minutes} --seed ${seed} --effort ${values.effort}`);
try {
  for (let round = 0; !run.isOver(); round++) {
    await run.round(seed + round, values.only);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(run.summary());
console.log(`test:long --seed ${seed} --effort ${values.effort}: ${run.failures.length} failures`);
process.exitCode = run.failures.length === 0 ? 0 : 1;

/** From the commit and the time; 31 bits. */
function freshSeed(): number {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return (Number.parseInt(commit.slice(0, 8), 16) ^ Date.now()) & 0x7fff_ffff;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`--${name} has to be a number: ${text}`);
  return value;
}

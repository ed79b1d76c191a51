import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { runSeeds } from "./seeds.ts";

/**
 * Runs many seeds, and prints for each failure how to run that seed alone:
 *
 *     node run.mjs packages/chain/test/simulator/main.ts --first 9000000 --count 1000 \
 *       [--minutes 10] [--forks 2]
 *
 * Exits with 1 if a seed failed.
 */
const { values } = parseArgs({
  options: {
    first: { type: "string" },
    count: { type: "string", default: "1000" },
    minutes: { type: "string", default: "1000000" },
    forks: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
  },
});

const count = Number(values.count);
const forks = Number(values.forks);
const minutes = Number(values.minutes);
// A new seed each time, which is printed.
const first = values.first === undefined ? Math.floor(Date.now() / 1_000) : Number(values.first);

if (forks > 1) {
  for (let index = 0; index < forks; index++) {
    const share = Math.ceil((count - index) / forks);
    const seeds = `--first ${first + index} --step ${forks} --count ${share}`;
    const child = fork(import.meta.filename, `${seeds} --minutes ${minutes}`.split(" "));
    child.on("exit", (code) => {
      if (code !== 0) process.exitCode = 1;
    });
  }
} else {
  const startMs = Date.now();
  const seeds = { first, step: Number(values.step), count, untilMs: startMs + minutes * 60_000 };
  const { runs, failures } = await runSeeds(seeds, (text) => console.log(text));
  const ran = runs.length + failures.length;
  const msEach = ((Date.now() - startMs) / ran).toFixed(0);
  console.log(`${ran} seeds from ${first} on: ${failures.length} failed, ${msEach} ms each`);
  if (failures.length > 0) process.exitCode = 1;
}

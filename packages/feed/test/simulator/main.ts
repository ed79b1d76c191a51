import { parseArgs } from "node:util";
import { FEED_FAULTS, runFeedSeed } from "./runFeedSeed.ts";

// Long runs of seeds of the simulated feed; prints how many ran, and how often each fault struck.
const { values } = parseArgs({
  options: {
    first: { type: "string", default: "1" },
    count: { type: "string", default: "2000" },
    minutes: { type: "string", default: "60" },
  },
});
const untilMs = Date.now() + Number(values.minutes) * 60_000;
const first = Number(values.first);
const struck = new Map<string, number>(FEED_FAULTS.map((fault) => [fault, 0]));
let ran = 0;
let failures = 0;
for (; ran < Number(values.count) && Date.now() < untilMs; ran++) {
  const seed = (first + ran) >>> 0;
  const run = runFeedSeed(seed);
  for (const [fault, count] of run.struck) struck.set(fault, (struck.get(fault) ?? 0) + count);
  if (run.problems.length === 0) continue;
  failures++;
  console.log(run.problems.slice(0, 3).join("\n"));
  console.log(`alone: FEED_SEED=${seed} npm test -- packages/feed/test/simulator`);
}
console.log(`${ran} seeds from ${first}: ${failures} failed`);
console.log(Array.from(struck, ([fault, count]) => `${count} ${fault}`).join(", "));
const isComplete = ran < 100 || [...struck.values()].every((count) => count > 0);
process.exitCode = failures === 0 && isComplete ? 0 : 1;

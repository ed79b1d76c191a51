import { IdleLines } from "./IdleLines.ts";
import { Line, openLines, readRequests } from "./Line.ts";
import { Tally } from "./Tally.ts";

// A program: clients that each wait for an answer, whatever it is, before they ask again. They have
// at least one connection each, and all connections take turns. Writes a LoopReport.
const [port = "", requestsFile = "", address, connections = "", seconds = "", clients = ""] =
  process.argv.slice(2);

const requests = readRequests(requestsFile, port, address);
const tally = new Tally();
const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => tally.broken++),
);
const idle = new IdleLines(lines);
const endMs = performance.now() + 1_000 * Number(seconds);
for (let client = 0; client < Number(clients); client++) ask();
await new Promise((resolve) => setTimeout(resolve, endMs - performance.now()));
for (const line of lines) line.end();
process.stdout.write(`${JSON.stringify(tally.report())}\n`);

function ask(): void {
  idle.take()!.ask(requests[tally.asked++ % requests.length]!, performance.now());
}

function answered(line: Line, status: string): void {
  const nowMs = performance.now();
  tally.answered(status, line.sentMs, nowMs);
  idle.give(line);
  if (nowMs < endMs) ask();
}

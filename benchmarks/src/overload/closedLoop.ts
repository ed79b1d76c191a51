import { Line, openLines, readRequests } from "./Line.ts";
import { Tally } from "./Tally.ts";

// A program: clients that each wait for an answer, whatever it is, before they ask again; writes a
// LoopReport.
const [port = "", requestsFile = "", address, connections = "", seconds = ""] =
  process.argv.slice(2);

const requests = readRequests(requestsFile, port, address);
const tally = new Tally();
const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => tally.broken++),
);
const endMs = performance.now() + 1_000 * Number(seconds);
for (const line of lines) ask(line);
await new Promise((resolve) => setTimeout(resolve, endMs - performance.now()));
for (const line of lines) line.end();
process.stdout.write(`${JSON.stringify(tally.report())}\n`);

function ask(line: Line): void {
  line.ask(requests[tally.asked++ % requests.length]!, performance.now());
}

function answered(line: Line, status: string): void {
  const nowMs = performance.now();
  tally.answered(status, line.dueMs, nowMs);
  if (nowMs < endMs) ask(line);
}

import { quantile } from "../statistics.ts";
import { Line, openLines, readRequests } from "./Line.ts";
import type { LoopReport } from "./loops.ts";

// A program: clients that each wait for an answer, whatever it is, before they ask again; writes a
// LoopReport.
const [port = "", requestsFile = "", connections = "", seconds = ""] = process.argv.slice(2);

const requests = readRequests(requestsFile, port);
const acceptedUs: number[] = [];
const shedUs: number[] = [];
let askedCount = 0;
let otherCount = 0;
let brokenCount = 0;

const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => brokenCount++),
);
const endMs = performance.now() + 1_000 * Number(seconds);
for (const line of lines) ask(line);
await new Promise((resolve) => setTimeout(resolve, endMs - performance.now()));
for (const line of lines) line.end();
const report: LoopReport = {
  asked: askedCount,
  unsent: 0,
  accepted: acceptedUs.length,
  shed: shedUs.length,
  others: otherCount,
  broken: brokenCount,
  p50Us: quantile(acceptedUs, 0.5),
  p99Us: quantile(acceptedUs, 0.99),
  shedP99Us: quantile(shedUs, 0.99),
};
process.stdout.write(`${JSON.stringify(report)}\n`);

function ask(line: Line): void {
  line.ask(requests[askedCount++ % requests.length]!, performance.now());
}

function answered(line: Line, status: string): void {
  const nowMs = performance.now();
  const us = 1_000 * (nowMs - line.dueMs);
  if (status === "200") acceptedUs.push(us);
  else if (status === "503") shedUs.push(us);
  else otherCount++;
  if (nowMs < endMs) ask(line);
}

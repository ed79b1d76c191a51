import { quantile } from "../statistics.ts";
import { Line, openLines, readRequests } from "./Line.ts";
import type { LoopReport } from "./loops.ts";

// A program: asks so many times a second, whatever comes back, as many clients of their own would;
// writes a LoopReport. Each request goes over a connection that is idle. The time of an answer
// counts from when its request was due, so that who is late here does not look fast.
const [port = "", requestsFile = "", connections = "", seconds = "", perSecond = ""] =
  process.argv.slice(2);
/** What is under way at the end gets so long. */
const LAST_ANSWERS_MS = 500;
/** Places of connections that are busy again. */
const FORGOTTEN_AT = 4_096;

const requests = readRequests(requestsFile, port);
const acceptedUs: number[] = [];
const shedUs: number[] = [];
let otherCount = 0;
let unsentCount = 0;
let brokenCount = 0;

const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => brokenCount++),
);
/** A ring: each in turn, since one that is idle for ten seconds is closed. */
const idle = [...lines];
let firstIdle = 0;
const everyMs = 1_000 / Number(perSecond);
const startMs = performance.now();
const endMs = startMs + 1_000 * Number(seconds);
let dueCount = 0;
let nextMs = startMs;
await new Promise<void>((resolve) => {
  const send = (): void => {
    const nowMs = performance.now();
    for (; nextMs <= nowMs; nextMs += everyMs) ask(requests[dueCount++ % requests.length]!, nextMs);
    if (nowMs >= endMs) setTimeout(resolve, LAST_ANSWERS_MS);
    // To look all the time would take a core that the service may need.
    else setTimeout(send, 1);
  };
  send();
});
for (const line of lines) line.end();
const report: LoopReport = {
  asked: dueCount,
  unsent: unsentCount,
  accepted: acceptedUs.length,
  shed: shedUs.length,
  others: otherCount,
  broken: brokenCount,
  p50Us: quantile(acceptedUs, 0.5),
  p99Us: quantile(acceptedUs, 0.99),
  shedP99Us: quantile(shedUs, 0.99),
};
process.stdout.write(`${JSON.stringify(report)}\n`);

function ask(request: Buffer, dueMs: number): void {
  if (firstIdle === idle.length) {
    unsentCount++;
    return;
  }
  idle[firstIdle++]!.ask(request, dueMs);
  if (firstIdle < FORGOTTEN_AT) return;
  idle.splice(0, firstIdle);
  firstIdle = 0;
}

function answered(line: Line, status: string): void {
  const us = 1_000 * (performance.now() - line.dueMs);
  if (status === "200") acceptedUs.push(us);
  else if (status === "503") shedUs.push(us);
  else otherCount++;
  idle.push(line);
}

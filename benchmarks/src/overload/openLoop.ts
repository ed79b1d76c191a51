import { Line, openLines, readRequests } from "./Line.ts";
import { Tally } from "./Tally.ts";

// A program: asks so many times a second, whatever comes back, as many clients of their own would;
// writes a LoopReport. Each request goes over a connection that is idle. The time of an answer
// counts from when its request was due, so that who is late here does not look fast.
const [port = "", requestsFile = "", address, connections = "", seconds = "", perSecond = ""] =
  process.argv.slice(2);
/** What is under way at the end gets so long. */
const LAST_ANSWERS_MS = 500;
/** Places of connections that are busy again. */
const FORGOTTEN_AT = 4_096;

const requests = readRequests(requestsFile, port, address);
const tally = new Tally();
const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => tally.broken++),
);
/** A ring: each in turn, since one that is idle for ten seconds is closed. */
const idle = [...lines];
let firstIdle = 0;
const everyMs = 1_000 / Number(perSecond);
const startMs = performance.now();
const endMs = startMs + 1_000 * Number(seconds);
let nextMs = startMs;
await new Promise<void>((resolve) => {
  const send = (): void => {
    const nowMs = performance.now();
    for (; nextMs <= nowMs; nextMs += everyMs)
      ask(requests[tally.asked++ % requests.length]!, nextMs);
    if (nowMs >= endMs) setTimeout(resolve, LAST_ANSWERS_MS);
    // To look all the time would take a core that the service may need.
    else setTimeout(send, 1);
  };
  send();
});
for (const line of lines) line.end();
process.stdout.write(`${JSON.stringify(tally.report())}\n`);

function ask(request: Buffer, dueMs: number): void {
  if (firstIdle === idle.length) {
    tally.unsent++;
    return;
  }
  idle[firstIdle++]!.ask(request, dueMs);
  if (firstIdle < FORGOTTEN_AT) return;
  idle.splice(0, firstIdle);
  firstIdle = 0;
}

function answered(line: Line, status: string): void {
  tally.answered(status, line.dueMs, performance.now());
  idle.push(line);
}

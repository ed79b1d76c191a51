import { IdleLines } from "./IdleLines.ts";
import { Line, openLines, readRequests } from "./Line.ts";
import { Tally } from "./Tally.ts";

// A program: asks at a fixed rate, whatever comes back, as many separate clients would; writes a
// LoopReport. Each request takes an idle connection. Nothing here waits for the service, so the
// time of an answer counts from when its request was sent. The delay after the due time is reported
// apart: this program shares cores with the service and may be late.
const [port = "", requestsFile = "", address, connections = "", seconds = "", perSecond = ""] =
  process.argv.slice(2);
/** Requests under way at the end have this long. */
const LAST_ANSWERS_MS = 500;

const requests = readRequests(requestsFile, port, address);
const tally = new Tally();
const lines = await openLines(Number(connections), () =>
  Line.open(Number(port), answered, () => tally.broken++),
);
const idle = new IdleLines(lines);
const everyMs = 1_000 / Number(perSecond);
const startMs = performance.now();
const endMs = startMs + 1_000 * Number(seconds);
let nextMs = startMs;
await new Promise<void>((resolve) => {
  const send = (): void => {
    const nowMs = performance.now();
    for (; nextMs <= nowMs; nextMs += everyMs) ask(requests[tally.asked++ % requests.length]!);
    if (nowMs >= endMs) setTimeout(resolve, LAST_ANSWERS_MS);
    // A busy loop would take a core that the service may need.
    else setTimeout(send, 1);
  };
  send();
});
for (const line of lines) line.end();
process.stdout.write(`${JSON.stringify(tally.report())}\n`);

function ask(request: Buffer): void {
  const line = idle.take();
  if (line === undefined) {
    tally.unsent++;
    return;
  }
  const nowMs = performance.now();
  tally.sent(nextMs, nowMs);
  line.ask(request, nowMs);
}

function answered(line: Line, status: string): void {
  tally.answered(status, line.sentMs, performance.now());
  idle.give(line);
}

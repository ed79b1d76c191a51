import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { quantile } from "../statistics.ts";
import type { OpenLoopReport } from "./openLoops.ts";

// A program: asks so many times a second, whatever comes back, as many clients of their own would;
// writes an OpenLoopReport. Each request goes over a connection that is idle. The time of an answer
// counts from when its request was due, so that who is late here does not look fast.
const [port = "", requestsFile = "", connections = "", perSecond = "", seconds = ""] =
  process.argv.slice(2);
const END_OF_HEAD = "\r\n\r\n";
const STATUS_AT = "HTTP/1.1 ".length;
/** What is under way at the end gets so long. */
const LAST_ANSWERS_MS = 500;

const requests = readFileSync(requestsFile, "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [, method, path, body = ""] = /^(\S+) (\S+) (.*)$/.exec(line)!;
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const length = Buffer.byteLength(body);
    return Buffer.from(
      `${head}content-type: application/json\r\ncontent-length: ${length}${END_OF_HEAD}${body}`,
    );
  });

/** A connection, with the time at which what it carries was due. */
interface Line {
  readonly socket: Socket;
  dueMs: number;
  received: Buffer;
}

const idle: Line[] = [];
const acceptedUs: number[] = [];
const shedUs: number[] = [];
let otherCount = 0;
let unsentCount = 0;
let brokenCount = 0;

const lines = await Promise.all(Array.from({ length: Number(connections) }, open));
idle.push(...lines);
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
for (const { socket } of lines) socket.destroy();
const report: OpenLoopReport = {
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
  // Each in turn: one that is idle for ten seconds is closed.
  const line = idle.shift();
  if (line === undefined) {
    unsentCount++;
    return;
  }
  line.dueMs = dueMs;
  line.socket.write(request);
}

function open(): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
    const line: Line = { socket, dueMs: 0, received: Buffer.alloc(0) };
    socket.once("connect", () => resolve(line));
    socket.once("error", reject);
    socket.on("close", () => {
      if (performance.now() < endMs) brokenCount++;
    });
    socket.on("data", (chunk) => {
      line.received = line.received.length === 0 ? chunk : Buffer.concat([line.received, chunk]);
      if (line.received.length < answerLength(line.received)) return;
      answered(line, line.received.toString("latin1", STATUS_AT, STATUS_AT + 3));
      line.received = Buffer.alloc(0);
      idle.push(line);
    });
  });
}

function answered({ dueMs }: Line, status: string): void {
  const us = 1_000 * (performance.now() - dueMs);
  if (status === "200") acceptedUs.push(us);
  else if (status === "503") shedUs.push(us);
  else otherCount++;
}

/** Bytes of the whole answer that starts so; Infinity while its head is not complete. */
function answerLength(received: Buffer): number {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const head = received.toString("latin1", 0, headEnd);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`);
  return headEnd + END_OF_HEAD.length + Number(length);
}

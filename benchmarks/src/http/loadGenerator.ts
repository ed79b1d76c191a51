import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { quantile } from "../statistics.ts";
import type { LoadReport } from "./load.ts";

// A program, for machines without wrk: keeps a request in flight on each connection, and writes a
// LoadReport. Of an answer it only finds the end.
const [port = "", requestsFile = "", connections = "", seconds = ""] = process.argv.slice(2);
const END_OF_HEAD = "\r\n\r\n";

const requests = readFileSync(requestsFile, "utf8")
  .trim()
  .split("\n")
  .map((line) => {
    const [, method, path, body] = /^(\S+) (\S+) ?(.*)$/.exec(line)!;
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    if (body === "") return Buffer.from(`${head}\r\n`);
    const length = Buffer.byteLength(body!);
    const fields = `content-type: application/json\r\ncontent-length: ${length}`;
    return Buffer.from(`${head}${fields}${END_OF_HEAD}${body}`);
  });
const latenciesUs: number[] = [];
let next = 0;
let socketErrors = 0;

const start = performance.now();
const end = start + 1_000 * Number(seconds);
await Promise.all(Array.from({ length: Number(connections) }, keepAsking));
const report: LoadReport = {
  requests: latenciesUs.length,
  seconds: (performance.now() - start) / 1_000,
  p50Us: quantile(latenciesUs, 0.5),
  p99Us: quantile(latenciesUs, 0.99),
  socketErrors,
};
process.stdout.write(`${JSON.stringify(report)}\n`);

/** One connection, until the time is up or it fails. */
function keepAsking(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
    let received: Buffer = Buffer.alloc(0);
    let askedAt = 0;
    const ask = () => {
      askedAt = performance.now();
      socket.write(requests[next++ % requests.length]!);
    };
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < answerLength(received)) return;
      received = Buffer.alloc(0);
      const now = performance.now();
      latenciesUs.push(1_000 * (now - askedAt));
      if (now < end) ask();
      else socket.end();
    });
    socket.on("error", () => {
      socketErrors++;
    });
    socket.on("close", () => {
      if (performance.now() < end) socketErrors++;
      resolve();
    });
  });
}

/** The length in bytes of the answer that starts here; Infinity while its head is incomplete. */
function answerLength(received: Buffer): number {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const head = received.toString("latin1", 0, headEnd);
  const length = /^content-length:\s*(\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`);
  return headEnd + END_OF_HEAD.length + Number(length);
}

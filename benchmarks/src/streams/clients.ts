import { RawSocket } from "./RawSocket.ts";

// A program of many connections, each with one subscription to blocks. It checks in every message
// that `seq` shows each missing change. It sends "ready" when all subscriptions are active, and
// answers every message with a ClientsReport of the time since the last.
const [port, connections] = process.argv.slice(2).map(Number) as [number, number];

export interface ClientsReport {
  readonly messages: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Changes that the server skipped for a slow reader, as `seq` shows. */
  readonly spared: number;
  /** Messages whose `seq` rose by another amount than their block's number. */
  readonly unnoticed: number;
  /** Milliseconds from `sentAt` until the client read the message. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Connections that ended. */
  readonly ended: number;
  /** One of the messages. */
  readonly sample: string;
}

/** Connections that open at once; more wait. */
const OPENING_MAX = 64;
const OPERATION = '{"op":"subscribe","id":1,"channel":"block","network":"ETH"}';
/** Two seconds; a later message counts as two seconds. */
const BUCKETS = 200_000;
const BUCKETS_A_MS = 100;
// These texts come before any data of the market in a message, so the first match is the right one.
const UPDATE = '"update"';
const UPDATE_AT = '{"op":'.length;
const SEQ = Buffer.from('"seq":');
const BLOCK = Buffer.from('"blockNumber":"');
const SENT_AT = Buffer.from('"sentAt":');
const ZERO = 48;
const NINE = 57;

const latencies = new Uint32Array(BUCKETS); // index: hundredths of a millisecond
// Of the newest message; index: connection.
const seqs = new Float64Array(connections).fill(Number.NaN);
const blocks = new Float64Array(connections);
let [messages, bytesRead, spared, unnoticed, ended] = [0, 0, 0, 0, 0];
let since = performance.now();
let sample = "";
let [opened, subscribed] = [0, 0];

for (let count = 0; count < OPENING_MAX; count++) openNext();

process.on("message", () => {
  const now = performance.now();
  const report: ClientsReport = {
    messages,
    seconds: (now - since) / 1_000,
    bytes: bytesRead,
    spared,
    unnoticed,
    p50Ms: latencyAt(0.5),
    p99Ms: latencyAt(0.99),
    ended,
    sample,
  };
  [messages, bytesRead, spared, unnoticed] = [0, 0, 0, 0];
  since = now;
  latencies.fill(0);
  process.send!(report);
});
process.once("disconnect", () => process.exit());

function openNext(): void {
  if (opened === connections) return;
  const connection = opened++;
  const socket = new RawSocket(port, {
    open: () => socket.send(OPERATION),
    text: (bytes, start, end) => heard(connection, bytes, start, end),
    ended: (why) => {
      if (ended++ === 0) process.stderr.write(`a connection ended: ${why}\n`);
    },
  });
}

function heard(connection: number, bytes: Buffer, start: number, end: number): void {
  const opAt = start + UPDATE_AT;
  if (bytes.toString("latin1", opAt, opAt + UPDATE.length) !== UPDATE) {
    if (!bytes.toString("latin1", start, end).startsWith('{"op":"snapshot"')) return;
    const seqAt = bytes.indexOf(SEQ, start) + SEQ.length;
    seqs[connection] = numberAt(bytes, seqAt);
    blocks[connection] = numberAt(bytes, bytes.indexOf(BLOCK, seqAt) + BLOCK.length);
    if (++subscribed === connections) process.send!("ready");
    openNext();
    return;
  }
  const nowUs = 1_000 * (performance.timeOrigin + performance.now());
  const seqAt = bytes.indexOf(SEQ, opAt) + SEQ.length;
  const blockAt = bytes.indexOf(BLOCK, seqAt) + BLOCK.length;
  const seq = numberAt(bytes, seqAt);
  const block = numberAt(bytes, blockAt);
  const sentAtUs = numberAt(bytes, bytes.indexOf(SENT_AT, blockAt) + SENT_AT.length);
  const published = seq - seqs[connection]!;
  // Here every block changes the value.
  if (!(published >= 1) || published !== block - blocks[connection]!) unnoticed++;
  else spared += published - 1;
  seqs[connection] = seq;
  blocks[connection] = block;
  const bucket = Math.round(((nowUs - sentAtUs) / 1_000) * BUCKETS_A_MS);
  latencies[Math.min(BUCKETS - 1, Math.max(0, bucket))]!++;
  messages++;
  bytesRead += end - start;
  if (sample === "") sample = bytes.toString("latin1", start, end);
}

/** A whole number in decimal digits. */
function numberAt(bytes: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at++) {
    const byte = bytes[at]!;
    if (!(byte >= ZERO && byte <= NINE)) return value;
    value = 10 * value + (byte - ZERO);
  }
}

/** The least latency, in milliseconds, that a share of messages does not exceed. */
function latencyAt(share: number): number {
  let left = Math.max(1, Math.ceil(share * messages));
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    left -= latencies[bucket]!;
    if (left <= 0) return bucket / BUCKETS_A_MS;
  }
  return Number.NaN;
}

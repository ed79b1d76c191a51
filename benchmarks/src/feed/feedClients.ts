import { setTimeout } from "node:timers/promises";
import { Line, readRequests } from "../overload/Line.ts";
import { RawSocket } from "../streams/RawSocket.ts";

// A program: subscribes to the blocks of a node and of servers, and asks all servers for the same
// quotes once they have a block. It answers "report" with a FeedReport.
const [nodeUrl = "", requestsFile = "", ...urls] = process.argv.slice(2);

export interface FeedReport {
  /** Blocks that all servers sent. */
  readonly blocks: number;
  /**
   * Milliseconds from the node's announcement of each block to the message of the first server, and
   * of the last.
   */
  readonly toFirstMs: ReadonlyArray<number>;
  readonly toAllMs: ReadonlyArray<number>;
  /** Answers that were compared with another server's at the same block. */
  readonly compared: number;
  readonly differing: number;
  /** Two answers that differ. */
  readonly example: string;
}

/** Quotes that each server is asked for at each block. */
const QUOTES_A_BLOCK = 2;
/** Blocks come each second: by then the work of the last one is over. */
const CALM_MS = 100;
const HASH = /"blockHash":"(0x[0-9a-f]{64})"/;
const END_OF_HEAD = "\r\n\r\n";

const announcedMs = new Map<string, number>();
/** By hash: when each server sent it. */
const heardMs = new Map<string, number[]>();
const toFirstMs: number[] = [];
const toAllMs: number[] = [];
let compared = 0;
let differing = 0;
let example = "";
let asked = 0;

const ports = urls.map((url) => Number(new URL(url).port));
const lines = await Promise.all(ports.map(openLine));
const requests = ports.map((port) => readRequests(requestsFile, String(port)));
watchNode();
ports.forEach(watchServer);

process.on("message", () => {
  const blocks = toAllMs.length;
  process.send!({ blocks, toFirstMs, toAllMs, compared, differing, example } satisfies FeedReport);
});
process.once("disconnect", () => process.exit());

function watchNode(): void {
  const socket = new WebSocket(nodeUrl);
  const request = { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] };
  socket.onopen = () => socket.send(JSON.stringify(request));
  socket.onmessage = ({ data }) => {
    const { params } = JSON.parse(String(data));
    if (params !== undefined) announcedMs.set(params.result.hash, performance.now());
  };
}

function watchServer(port: number): void {
  const socket: RawSocket = new RawSocket(port, {
    open: () =>
      socket.send(JSON.stringify({ op: "subscribe", id: 1, channel: "block", network: "ETH" })),
    text: (bytes, start, end) => {
      const hash = HASH.exec(bytes.toString("latin1", start, end))?.[1];
      if (hash !== undefined) heard(hash, performance.now());
    },
    ended: (why) => {
      throw new Error(`a server's stream ended: ${why}`);
    },
  });
}

function heard(hash: string, nowMs: number): void {
  const times = heardMs.get(hash) ?? [];
  heardMs.set(hash, times);
  times.push(nowMs);
  const startMs = announcedMs.get(hash);
  // A heartbeat names the newest block again.
  if (startMs === undefined || times.length !== ports.length) return;
  toFirstMs.push(times[0]! - startMs);
  toAllMs.push(nowMs - startMs);
  void setTimeout(CALM_MS).then(compareQuotes);
}

/** Compares the servers' answers at one block with the first server's. */
async function compareQuotes(): Promise<void> {
  for (let count = 0; count < QUOTES_A_BLOCK; count++) {
    const index = asked++ % requests[0]!.length;
    const answers = await Promise.all(lines.map(({ ask }, at) => ask(requests[at]![index]!)));
    const first = answers[0]!;
    const hash = HASH.exec(first)?.[1];
    for (const answer of answers.slice(1)) {
      if (HASH.exec(answer)?.[1] !== hash) continue;
      compared++;
      if (answer === first) continue;
      differing++;
      if (example === "") example = `${first}\n${answer}`;
    }
  }
}

/** A connection; asking gives the body of the answer. */
async function openLine(port: number) {
  let answered: (body: string) => void = () => {};
  const line = await Line.open(
    port,
    (_, status, answer) => {
      const text = answer.toString("utf8");
      answered(`${status} ${text.slice(text.indexOf(END_OF_HEAD) + END_OF_HEAD.length)}`);
    },
    () => {
      throw new Error("a server's connection ended");
    },
  );
  const ask = (request: Buffer) =>
    new Promise<string>((resolve) => {
      answered = resolve;
      line.ask(request, performance.now());
    });
  return { ask };
}

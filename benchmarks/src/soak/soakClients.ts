import { Line, openLines, readRequests } from "../overload/Line.ts";
import { RawSocket } from "../streams/RawSocket.ts";
import { REORGANISED_BLOCKS } from "./chainOfSoak.ts";

// A program: asks for quotes at a fixed rate, holds subscriptions on sockets, opens one of the
// sockets anew every second, and checks each answer and message. Its parent sends it the chain's
// head; it answers "report" with a SoakReport.
const [port = "", requestsFile = "", perSecond = "", subscriptions = ""] = process.argv.slice(2);

export interface SoakReport {
  readonly quotes: number;
  /** Answered 503: the service was overloaded. */
  readonly refused: number;
  /** Not asked, since every connection still waited for an answer. */
  readonly unsent: number;
  /** Wrong answers and messages, and connections that ended. */
  readonly errors: number;
  /** Answers of a block that is too old, or further back than a reorganisation goes. */
  readonly stale: number;
  readonly messages: number;
  readonly reconnects: number;
  /** The first error. */
  readonly example: string;
}

const CONNECTIONS = 64;
const SOCKETS = 50;
/** This long after a block was mined, answers must be of it. */
const BLOCK_KNOWN_MS = 5_000;
const RECONNECT_MS = 1_000;
const BLOCK = /"blockNumber":"(\d+)"/;

const counts = {
  quotes: 0,
  refused: 0,
  unsent: 0,
  errors: 0,
  stale: 0,
  messages: 0,
  reconnects: 0,
};
let example = "";
let newest = 0;
/** Number of the oldest block that an answer may be of. */
let floor = 0;

const requests = readRequests(requestsFile, port);
const lines = await openLines(CONNECTIONS, () =>
  Line.open(Number(port), answered, () => wrong("errors", "a connection ended")),
);
const idle = [...lines];
const sockets = Array.from({ length: SOCKETS }, (_, index) => open(index));

process.on("message", (message: { readonly head: number } | "report") => {
  if (message === "report") process.send!({ ...counts, example } satisfies SoakReport);
  else setTimeout(() => (floor = message.head - REORGANISED_BLOCKS), BLOCK_KNOWN_MS);
});
process.once("disconnect", () => process.exit());
setInterval(() => {
  const index = counts.reconnects++ % SOCKETS;
  sockets[index]!.leave();
  sockets[index] = open(index);
}, RECONNECT_MS);
keepAsking();

function keepAsking(): void {
  const everyMs = 1_000 / Number(perSecond);
  let next = 0;
  let nextMs = performance.now();
  setInterval(() => {
    for (const nowMs = performance.now(); nextMs <= nowMs; nextMs += everyMs) {
      const line = idle.shift();
      if (line === undefined) counts.unsent++;
      else line.ask(requests[next++ % requests.length]!, nextMs);
    }
  }, 1);
}

function answered(line: Line, status: string, answer: Buffer): void {
  idle.push(line);
  if (status === "503") counts.refused++;
  else if (status === "200") {
    counts.quotes++;
    look(answer.toString("latin1"));
  } else wrong("errors", answer.toString("latin1"));
}

/** A socket with its share of the subscriptions: blocks, prices, and mostly quotes. */
function open(index: number): RawSocket {
  const socket: RawSocket = new RawSocket(Number(port), {
    open: () => {
      const count = Math.ceil(Number(subscriptions) / SOCKETS);
      for (let id = 0; id < count; id++) socket.send(operation(id, index * count + id));
    },
    text: (bytes, start, end) => {
      const text = bytes.toString("latin1", start, end);
      if (text.startsWith('{"op":"error"')) return wrong("errors", text);
      if (!/^\{"op":"(?:snapshot|update)"/.test(text)) return;
      counts.messages++;
      look(text);
    },
    ended: (why) => wrong("errors", why),
  });
  return socket;
}

function operation(id: number, draw: number): string {
  const asked = requests[draw % requests.length]!.toString("latin1");
  const quote = JSON.parse(asked.slice(asked.indexOf("\r\n\r\n") + 4));
  const common = { op: "subscribe", id, network: "ETH" };
  if (draw % 10 === 0) return JSON.stringify({ ...common, channel: "block" });
  if (draw % 10 < 4) return JSON.stringify({ ...common, channel: "price", token: quote.tokenA });
  return JSON.stringify({ ...common, channel: "quote", ...quote });
}

function look(text: string): void {
  const block = Number(BLOCK.exec(text)?.[1]);
  if (Number.isNaN(block)) return wrong("errors", text);
  if (block < floor || block < newest - REORGANISED_BLOCKS) {
    wrong("stale", `of ${block}, where ${newest} was told and ${floor} is the oldest: ${text}`);
  }
  newest = Math.max(newest, block);
}

function wrong(kind: "errors" | "stale", what: string): void {
  counts[kind]++;
  if (example === "") example = what.slice(0, 600);
}

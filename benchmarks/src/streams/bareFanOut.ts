import { App, us_socket_local_port, type WebSocket } from "uWebSockets.js";
import { readFileSync } from "node:fs";
import type { ProcessReport } from "./probe.ts";

// A program: sends all clients the message of a file, over and over, as fast as they read it, with
// a new `seq`, block number and `sentAt` each time: to one after the other, or with the native
// library's own `publish`. It ignores what clients subscribe to.
const [file, way] = process.argv.slice(2);

/** As in the service: a client with more bytes waiting is skipped until it has read them. */
const CONGESTED_BYTES = 65_536;
const TOPIC = "blocks";

const [beforeSeq, beforeBlock, beforeSentAt, beforeData, end] = readFileSync(file!, "utf8").split(
  /(?<="seq":|"blockNumber":"|"sentAt":)\d+/,
);
const sockets = new Set<WebSocket<unknown>>();
let round = 1;

const app = App()
  .ws("/ws", {
    maxBackpressure: CONGESTED_BYTES,
    // Each client sends one subscription and nothing else.
    message: (socket) => {
      socket.send(`{"op":"snapshot","seq":${round},"blockNumber":"${round}"}`);
      if (way === "publish") socket.subscribe(TOPIC);
      else sockets.add(socket);
    },
    close: (socket) => {
      sockets.delete(socket);
    },
  })
  .listen("127.0.0.1", 0, (socket) => {
    if (socket === false) throw new Error("no port to listen on");
    process.stdout.write(`listens on http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

let isSending = false;
process.on("message", () => {
  // The first request for a report comes after all clients have connected.
  if (!isSending) setImmediate(sendRound);
  isSending = true;
  const { user, system } = process.cpuUsage();
  const residentBytes = process.memoryUsage.rss();
  const cpuUs = user + system;
  process.send!({ applied: [], cpuUs, residentBytes, codeBytes: 0 } satisfies ProcessReport);
});
process.once("disconnect", () => process.exit());

function sendRound(): void {
  round++;
  const sentAt = Math.round(1_000 * (performance.timeOrigin + performance.now()));
  const text = `${beforeSeq}${round}${beforeBlock}${round}${beforeSentAt}${sentAt}${beforeData}${round}${end}`;
  if (way === "publish") {
    app.publish(TOPIC, text);
  } else {
    for (const socket of sockets) {
      if (socket.getBufferedAmount() <= CONGESTED_BYTES) socket.send(text);
    }
  }
  setImmediate(sendRound);
}

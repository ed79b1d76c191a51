import { connect, type Socket } from "node:net";
import { readRequests } from "../overload/Line.ts";
import { RawSocket } from "../streams/RawSocket.ts";

// A program: one client that does its worst until it is ended, from an address of its own. "asking"
// waits for its answers before it asks again, "flood" sends without waiting, "slow" asks and does
// not read, and "ladders" subscribes to as much as it may, again and again. The file holds its
// requests, one a line.
const [kind = "", port = "", requestsFile = "", address = ""] = process.argv.slice(2);

const CONNECTIONS = 16;
const AT_ONCE = 32;
const PAUSE_MS = 20;

let at = 0;

const requests = readRequests(requestsFile, port, address);
if (kind === "ladders") keepSubscribing();
else for (let index = 0; index < CONNECTIONS; index++) keepSending();
process.once("disconnect", () => process.exit());

/** A connection that is opened anew whenever the service closes it. */
function keepSending(): void {
  const socket: Socket = connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
  const count = kind === "asking" ? 1 : AT_ONCE;
  const send = (): void => {
    const next = Array.from({ length: count }, () => requests[at++ % requests.length]!);
    if (socket.writableLength === 0) socket.write(Buffer.concat(next));
  };
  let sending: NodeJS.Timeout | undefined;
  if (kind === "slow") socket.pause();
  // An answer may come in parts; some requests are then sent too early and close the connection.
  else socket.on("data", kind === "asking" ? send : () => {});
  if (kind === "asking") socket.once("connect", send);
  else sending = setInterval(send, PAUSE_MS);
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(sending);
    setTimeout(keepSending, PAUSE_MS);
  });
}

function keepSubscribing(): void {
  let id = 0;
  let sending: NodeJS.Timeout | undefined;
  const socket: RawSocket = new RawSocket(
    Number(port),
    {
      open: () => {
        sending = setInterval(() => {
          const asked = requests[id % requests.length]!.toString("latin1");
          socket.send(asked.slice(asked.indexOf("\r\n\r\n") + 4).replace('"id":0', `"id":${id++}`));
        }, PAUSE_MS);
      },
      text: () => {},
      ended: () => {
        clearInterval(sending);
        setTimeout(keepSubscribing, PAUSE_MS);
      },
    },
    [`X-Forwarded-For: ${address}`],
  );
}

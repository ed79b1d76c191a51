import { createServer, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** A request as a server understood it. */
export interface SeenRequest {
  readonly method: string;
  /** As sent; without a `?` of an empty query. */
  readonly target: string;
  /** As Latin-1; undefined where it was not read, or is not complete. */
  body: string | undefined;
}

/** What Node's own strict parser reads in a stream of bytes, up to where it gives up. */
export async function readByNode(bytes: Uint8Array): Promise<ReadonlyArray<SeenRequest>> {
  const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const seen: SeenRequest[] = [];
  seenOf.set(connection, seen);
  server.emit("connection", connection);
  connection.push(bytes);
  for (let turn = 0; turn < TURNS; turn++) await setImmediate();
  connection.destroy();
  return seen;
}

const seenOf = new WeakMap<object, SeenRequest[]>();
/** It never listens, and never answers, as that would keep it from reading on. */
const server = createServer({ insecureHTTPParser: false })
  .on("request", note)
  .on("checkContinue", note)
  .on("checkExpectation", note)
  // What was complete before the fault is still to be handed out.
  .on("clientError", () => {});

function note(request: IncomingMessage): void {
  const { method = "", url = "" } = request;
  const one: SeenRequest = { method, target: url.replace(/^([^?]*)\?$/u, "$1"), body: undefined };
  seenOf.get(request.socket)!.push(one);
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    one.body = Buffer.concat(parts).toString("latin1");
  });
}

/** In which it has read all. */
const TURNS = 4;

import net from "node:net";
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";
import * as Effect from "effect/Effect";

/** What a raw connection said before it closed. */
export interface RawAnswer {
  /** Everything received, as Latin-1. */
  readonly text: string;
  /** The status of each answer in it. */
  readonly statuses: ReadonlyArray<number>;
  /** What follows the first answer's headers. */
  readonly body: string;
}

/**
 * Sends the parts over one connection, with a little time between them so that they arrive as
 * separate packets, and waits until the server closes it.
 */
export const sendRaw = (
  port: number,
  ...parts: ReadonlyArray<string | Uint8Array>
): Effect.Effect<RawAnswer> =>
  Effect.promise(async (signal) => {
    const { socket, received, closed } = connect(port);
    // Interrupting the request is how a test leaves early.
    signal.addEventListener("abort", () => socket.destroy());
    for (const [index, part] of parts.entries()) {
      if (index > 0) await travelTime();
      if (!socket.destroyed)
        socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    }
    await closed;
    return readAnswer(received());
  });

/**
 * So that a part arrives alone. However late timers are, what the server answered is read before
 * the next part is sent, as one that meets a closed connection makes the system drop the answer.
 */
async function travelTime(): Promise<void> {
  await pause(25);
  await immediate();
  await immediate();
}

/** A connection to be driven by hand. */
export const connect = (port: number) => {
  const socket = net.connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (part: string) => {
    text += part;
  });
  // A reset is a way of closing too.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  return { socket, received: () => text, closed };
};

/** Waits until the predicate holds; the test's own timeout is the only limit. */
export const until = (predicate: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!predicate()) await pause(5);
  });

const readAnswer = (text: string): RawAnswer => {
  const headEnd = text.indexOf("\r\n\r\n");
  return {
    text,
    statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])),
    body: headEnd === -1 ? "" : text.slice(headEnd + 4),
  };
};

/** A whole request; the server closes the connection after answering it. */
export const requestText = (
  method: string,
  target: string,
  headers: ReadonlyArray<string> = [],
  body = "",
): string =>
  [`${method} ${target} HTTP/1.1`, "Host: test", "Connection: close", ...headers, "", body].join(
    "\r\n",
  );

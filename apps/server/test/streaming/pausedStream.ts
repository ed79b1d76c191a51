import net from "node:net";
import { eventually } from "@millrace/testing";
import { frame, OPCODES } from "./rawStream.ts";

/** A connection to `/ws` that can stop reading, and that reads large amounts fast. */
export interface PausedStream {
  readonly send: (operation: object) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
  /** Parsed text messages so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages that they then check.
  readonly messages: ReadonlyArray<any>;
  /** Bytes received so far. */
  readonly byteCount: () => number;
  /** Code and reason of the server's close frame. */
  readonly closing: () => readonly [code: number, reason: string] | undefined;
}

export async function openPausedStream(url: string): Promise<PausedStream> {
  const { port, host } = new URL(url);
  const socket = net.connect(Number(port), "127.0.0.1");
  const messages: unknown[] = [];
  let byteCount = 0;
  let rest = Buffer.alloc(0);
  let isOpen = false;
  let closing: readonly [number, string] | undefined;
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    byteCount += chunk.length;
    rest = Buffer.concat([rest, chunk]);
    if (!isOpen) {
      const headEnd = rest.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      isOpen = true;
      rest = rest.subarray(headEnd + 4);
    }
    for (let length = readFrame(); length > 0; length = readFrame()) rest = rest.subarray(length);
  });
  const head = ["GET /ws HTTP/1.1", `Host: ${host}`, "Upgrade: websocket", "Connection: Upgrade"];
  const key = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];
  socket.write([...head, ...key, "", ""].join("\r\n"));
  await eventually(() => messages.length > 0);
  return {
    send: (operation) => socket.write(frame(OPCODES.text, JSON.stringify(operation))),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.destroy(),
    messages,
    byteCount: () => byteCount,
    closing: () => closing,
  };

  /** Takes the first frame of the received bytes; gives its length, 0 when it is not whole. */
  function readFrame(): number {
    if (rest.length < 2) return 0;
    const short = rest[1]!;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (rest.length < start) return 0;
    const length =
      short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
    if (rest.length < start + length) return 0;
    const payload = rest.subarray(start, start + length);
    const opcode = rest[0]! & 0x0f;
    if (opcode === OPCODES.text) messages.push(JSON.parse(payload.toString()));
    if (opcode === OPCODES.close) closing = [payload.readUInt16BE(), payload.toString("utf8", 2)];
    return start + length;
  }
}

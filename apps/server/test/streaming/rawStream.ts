import net from "node:net";
import { eventually } from "@millrace/testing";

/** A connection to `/ws` whose every byte is the test's own. */
export interface RawStream {
  readonly socket: net.Socket;
  /** Sends bytes as they are. */
  readonly write: (...parts: ReadonlyArray<Uint8Array>) => void;
  /** Sends a whole text message. */
  readonly send: (text: string | Uint8Array) => void;
  /** Parsed text messages so far, but for `hello`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages that they then check.
  readonly messages: () => ReadonlyArray<any>;
  /** The message at an index, once it has arrived; rejects when the connection ends before. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly message: (index: number) => Promise<any>;
  /** Opcodes of all frames so far. */
  readonly opcodes: () => ReadonlyArray<number>;
  /** The code of the server's close frame; undefined without one. */
  readonly closeCode: () => number | undefined;
  readonly closed: Promise<void>;
}

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** `address` is the client's, as a trusted proxy would report it. */
export async function openRawStream(url: string, address?: string): Promise<RawStream> {
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset also closes the connection.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const client = address === undefined ? [] : [`X-Forwarded-For: ${address}`];
  socket.write([...UPGRADE, ...client, "", ""].join("\r\n"));
  const received = () => Buffer.concat(chunks);
  const headEnd = () => received().indexOf("\r\n\r\n") + 4;
  await eventually(() => headEnd() > 3 || socket.destroyed);
  if (!received().toString("latin1").startsWith("HTTP/1.1 101")) {
    throw new Error(`no upgrade: ${received()}`);
  }
  const frames = () => framesOf(received().subarray(headEnd()));
  await eventually(() => frames().length > 0);
  const messages = () =>
    frames()
      .filter(({ opcode }) => opcode === OPCODES.text)
      .map(({ payload }) => JSON.parse(payload.toString()))
      .filter(({ op }) => op !== "hello");
  return {
    ...{ socket, closed, messages },
    message: (index) =>
      eventually(() => {
        const message = messages()[index];
        if (message === undefined && socket.destroyed) throw new Error(`closed before ${index}`);
        return message;
      }),
    write: (...parts) => socket.write(Buffer.concat(parts)),
    send: (text) => socket.write(frame(OPCODES.text, text)),
    opcodes: () => frames().map(({ opcode }) => opcode),
    closeCode: () => {
      const closing = frames().find(({ opcode }) => opcode === OPCODES.close);
      return closing === undefined || closing.payload.length < 2
        ? undefined
        : closing.payload.readUInt16BE();
    },
  };
}

/** The bytes of one masked frame (RFC 6455, section 5.2). */
export function frame(opcode: number, text: string | Uint8Array, isLast = true): Buffer {
  const payload = Buffer.from(typeof text === "string" ? Buffer.from(text) : text);
  const isShort = payload.length < 126;
  const head = Buffer.alloc(isShort ? 2 : 4);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (isShort ? payload.length : 126);
  if (!isShort) head.writeUInt16BE(payload.length, 2);
  const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
  for (let at = 0; at < payload.length; at++) payload[at] = payload[at]! ^ mask[at % 4]!;
  return Buffer.concat([head, mask, payload]);
}

const UPGRADE = [
  "GET /ws HTTP/1.1",
  "Host: test",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** Whole frames of the server, which are never masked. */
function framesOf(bytes: Buffer): ReadonlyArray<{ opcode: number; payload: Buffer }> {
  const frames: Array<{ opcode: number; payload: Buffer }> = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = bytes[at + 1]! & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + head > bytes.length) break;
    let length = short;
    if (short === 126) length = bytes.readUInt16BE(at + 2);
    if (short === 127) length = Number(bytes.readBigUInt64BE(at + 2));
    if (at + head + length > bytes.length) break;
    const payload = bytes.subarray(at + head, at + head + length);
    frames.push({ opcode: bytes[at]! & 0x0f, payload });
    at += head + length;
  }
  return frames;
}

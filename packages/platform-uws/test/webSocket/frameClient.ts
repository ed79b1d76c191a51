import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../rawClient.ts";

/** A frame as it lies on the wire (RFC 6455, section 5.2). */
export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

export interface FrameOptions {
  /** Default true. */
  readonly fin?: boolean;
  /** The three reserved bits. */
  readonly reserved?: number;
  /** Default true, as of every client. */
  readonly masked?: boolean;
  /** What the length field says, whatever the payload has. */
  readonly claimedLength?: bigint;
  /** How the length is written: 7, 16 or 64 bits. */
  readonly lengthBits?: 7 | 16 | 64;
}

/** The bytes of one frame, as right or wrong as asked. */
export function frame(
  opcode: number,
  payload: string | Uint8Array,
  options: FrameOptions = {},
): Buffer {
  const body = Buffer.from(typeof payload === "string" ? Buffer.from(payload) : payload);
  const { fin = true, reserved = 0, masked = true } = options;
  const length = options.claimedLength ?? BigInt(body.length);
  const bits = options.lengthBits ?? (length < 126n ? 7 : length < 65_536n ? 16 : 64);
  const maskBit = masked ? 0x80 : 0;
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const head = Buffer.alloc(bits === 7 ? 2 : bits === 16 ? 4 : 10);
  head[0] = first;
  if (bits === 7) head[1] = maskBit | Number(length);
  else if (bits === 16) {
    head[1] = maskBit | 126;
    head.writeUInt16BE(Number(length), 2);
  } else {
    head[1] = maskBit | 127;
    head.writeBigUInt64BE(length, 2);
  }
  if (!masked) return Buffer.concat([head, body]);
  const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
  for (let at = 0; at < body.length; at++) body[at] = body[at]! ^ mask[at % 4]!;
  return Buffer.concat([head, mask, body]);
}

/** The payload of a close frame. */
export const closePayload = (code: number, reason: string | Uint8Array = ""): Buffer => {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return Buffer.concat([payload, Buffer.from(reason)]);
};

const UPGRADE_HEADERS: Readonly<Record<string, string>> = {
  Host: "test",
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** The text of a request to upgrade; a header that is undefined is left out. */
export function upgradeText(
  headers: Readonly<Record<string, string | undefined>> = {},
  { method = "GET", path = "/ws", version = "1.1" } = {},
): string {
  const lines = Object.entries({ ...UPGRADE_HEADERS, ...headers })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/${version}`, ...lines, "", ""].join("\r\n");
}

/** A connection that is upgraded, driven frame by frame. */
export async function openFrames(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  path = "/ws",
) {
  const { socket, received, closed } = connect(port);
  socket.write(upgradeText(headers, { path }));
  while (!received().includes("\r\n\r\n")) {
    if (socket.destroyed) throw new Error(`no upgrade: ${received()}`);
    await pause(1);
  }
  const head = received().slice(0, received().indexOf("\r\n\r\n") + 4);
  const frames = () => framesOf(Buffer.from(received().slice(head.length), "latin1"));
  return {
    ...{ socket, closed, head, frames },
    send: (...parts: ReadonlyArray<Buffer>) => socket.write(Buffer.concat(parts)),
    texts: () =>
      frames()
        .filter(({ opcode }) => opcode === OPCODES.text)
        .map(({ payload }) => payload.toString()),
    /** Code and reason of the server's close frame. */
    closing: () => {
      const found = frames().find(({ opcode }) => opcode === OPCODES.close);
      if (found === undefined) return undefined;
      const { payload } = found;
      if (payload.length < 2) return { code: undefined, reason: "" };
      return { code: payload.readUInt16BE(), reason: payload.subarray(2).toString() };
    },
  };
}

/** Whole frames of a server, which are never masked. */
function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = bytes[at + 1]! & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + head > bytes.length) break;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (at + head + length > bytes.length) break;
    frames.push({
      opcode: bytes[at]! & 0x0f,
      payload: bytes.subarray(at + head, at + head + length),
    });
    at += head + length;
  }
  return frames;
}

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

const END_OF_HEAD = "\r\n\r\n";
const CHUNK_BYTES = 262_144;
const SHORT_MAX = 125;
const OPCODE = { text: 1, close: 8, ping: 9 } as const;

/** All sockets read into the same buffer: callbacks use the bytes before they return. */
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);

interface RawSocketEvents {
  /** The upgrade was granted. */
  readonly open: () => void;
  /** A text message, between two offsets of bytes that are only valid in this call. */
  readonly text: (bytes: Buffer, start: number, end: number) => void;
  /** The connection ended, or was never made. */
  readonly ended: (why: string) => void;
}

/**
 * A minimal WebSocket client (RFC 6455): it takes messages of one frame each and decodes nothing of
 * them.
 */
export class RawSocket {
  readonly #socket: Socket;
  readonly #events: RawSocketEvents;
  #isOpen = false;
  #hasEnded = false;
  /** The bytes of an incomplete frame, or of an incomplete head of the answer. */
  #rest: Buffer | undefined;

  /** `fields` are further lines of the request's head. */
  constructor(port: number, events: RawSocketEvents, fields: ReadonlyArray<string> = []) {
    this.#events = events;
    const onread = {
      buffer: chunk,
      callback: (length: number) => {
        this.#received(length);
        return true;
      },
    };
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
    this.#socket.on("connect", () => {
      const head = [
        "GET /ws HTTP/1.1",
        `Host: 127.0.0.1:${port}`,
        ...["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        ...fields,
      ];
      this.#socket.write(head.join("\r\n") + END_OF_HEAD);
    });
    this.#socket.on("error", ({ message }) => this.#end(message));
    this.#socket.on("close", () => this.#end("closed"));
  }

  /** Sends a text of less than 64 KiB. */
  send(text: string): void {
    this.#write(OPCODE.text, Buffer.from(text));
  }

  /** Closes the connection without a close frame and without an `ended` event. */
  leave(): void {
    this.#hasEnded = true;
    this.#socket.destroy();
  }

  #received(length: number): void {
    let bytes: Buffer = chunk.subarray(0, length);
    if (this.#rest !== undefined) {
      bytes = Buffer.concat([this.#rest, bytes]);
      this.#rest = undefined;
    }
    let at = 0;
    if (!this.#isOpen) {
      const headEnd = bytes.indexOf(END_OF_HEAD);
      if (headEnd < 0) {
        this.#rest = Buffer.from(bytes);
        return;
      }
      if (!bytes.toString("latin1", 0, headEnd).startsWith("HTTP/1.1 101 ")) {
        this.#end(bytes.toString());
        return;
      }
      this.#isOpen = true;
      this.#events.open();
      at = headEnd + END_OF_HEAD.length;
    }
    at = this.#readFrames(bytes, at);
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Reports the whole frames from an offset on, and gives the offset where they end. */
  #readFrames(bytes: Buffer, from: number): number {
    let at = from;
    while (at + 2 <= bytes.length) {
      // A server's frames are not masked, so that the second byte is the length alone.
      const short = bytes[at + 1]!;
      const lengthBytes = short <= SHORT_MAX ? 0 : short === SHORT_MAX + 1 ? 2 : 8;
      const start = at + 2 + lengthBytes;
      if (start > bytes.length) return at;
      const length =
        lengthBytes === 0
          ? short
          : lengthBytes === 2
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2));
      const end = start + length;
      if (end > bytes.length) return at;
      this.#frame(bytes, bytes[at]! & 0x0f, start, end);
      at = end;
    }
    return at;
  }

  #frame(bytes: Buffer, opcode: number, start: number, end: number): void {
    if (opcode === OPCODE.text) this.#events.text(bytes, start, end);
    else if (opcode === OPCODE.ping) this.#write(0xa, bytes.subarray(start, end));
    else if (opcode === OPCODE.close) this.#end(`closed: ${bytes.toString("utf8", start, end)}`);
  }

  #write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    // A client must mask its frames; a mask of zeros leaves the payload as it is.
    const head =
      length <= SHORT_MAX
        ? [0x80 | opcode, 0x80 | length]
        : [0x80 | opcode, 0x80 | (SHORT_MAX + 1), length >> 8, length & 0xff];
    this.#socket.write(Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]));
  }

  #end(why: string): void {
    this.#socket.destroy();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(why);
  }
}

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";

const END_OF_HEAD = "\r\n\r\n";
const nothing: Buffer = Buffer.alloc(0);
const STATUS_AT = "HTTP/1.1 ".length;

/**
 * All connections read into this. A buffer for each read would have this process collect garbage
 * for so long that its own pauses would count as the service's.
 */
const read = Buffer.allocUnsafeSlow(2 ** 16);

/** Gets the status and all bytes of an answer; the bytes are valid only during the call. */
type Answered = (line: Line, status: string, answer: Buffer) => void;

/** A connection that carries one request at a time. */
export class Line {
  readonly #socket: Socket;
  readonly #answered: Answered;
  /** When its current request was sent. */
  sentMs = 0;
  #received = nothing;

  private constructor(socket: Socket, answered: Answered) {
    this.#socket = socket;
    this.#answered = answered;
  }

  /** Calls `answered` with each whole answer; `broken` when the connection ends by itself. */
  static open(port: number, answered: Answered, broken: () => void): Promise<Line> {
    return new Promise((resolve, reject) => {
      let line: Line | undefined;
      const callback = (count: number): boolean => {
        line!.#read(read.subarray(0, count));
        return true;
      };
      const onread = { buffer: read, callback };
      const socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
      line = new Line(socket, answered);
      socket.once("connect", () => resolve(line!));
      socket.once("error", reject);
      socket.on("close", broken);
    });
  }

  ask(request: Buffer, nowMs: number): void {
    this.sentMs = nowMs;
    this.#socket.write(request);
  }

  end(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const isWhole = this.#received.length === 0;
    const received = isWhole ? chunk : Buffer.concat([this.#received, chunk]);
    if (received.length < answerLength(received)) {
      this.#received = isWhole ? Buffer.from(chunk) : received;
      return;
    }
    if (!isWhole) this.#received = nothing;
    this.#answered(this, received.toString("latin1", STATUS_AT, STATUS_AT + 3), received);
  }
}

/** Opens `count` lines, some at a time: a server's queue of new connections is limited. */
export async function openLines(
  count: number,
  open: () => Promise<Line>,
): Promise<ReadonlyArray<Line>> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const some = Math.min(count - lines.length, OPENED_AT_ONCE);
    lines.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return lines;
}

/**
 * Each line of the file is a request, as `writeRequests` writes it: its method, its path and, after
 * a space, its body. An `address` becomes the client's, as a trusted proxy reports it.
 */
export function readRequests(file: string, port: string, address = ""): ReadonlyArray<Buffer> {
  const client = address === "" ? "" : `X-Forwarded-For: ${address}\r\n`;
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [, method, path, body = ""] = /^(\S+) (\S+) ?(.*)$/.exec(line)!;
      const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${client}`;
      const length = Buffer.byteLength(body);
      return Buffer.from(
        `${head}content-type: application/json\r\ncontent-length: ${length}${END_OF_HEAD}${body}`,
      );
    });
}

/** The length in bytes of the answer that starts here; Infinity while its head is incomplete. */
function answerLength(received: Buffer): number {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const head = received.toString("latin1", 0, headEnd);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`);
  return headEnd + END_OF_HEAD.length + Number(length);
}

const OPENED_AT_ONCE = 128;

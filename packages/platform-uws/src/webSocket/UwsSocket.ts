import type { WebSocket } from "uWebSockets.js";
import type { AnswerQueue, WaitingAnswer } from "../AnswerQueue.ts";
import type { Asker } from "../Asker.ts";
import type { WebSocketConnection, WebSocketHandler } from "./WebSocketRoute.ts";

/** Close codes (RFC 6455 and its registry) and reasons, which are for people. */
const CLOSINGS = {
  binary: [1003, "only text messages are taken"],
  long: [1009, "the message is too long"],
  eager: [1008, "too many messages wait for their turn"],
  failed: [1011, "something went wrong on our side"],
  restart: [1012, "the server is restarting"],
  slow: [1013, "the reader is too slow"],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

/** The longest reason of a close frame (RFC 6455, section 5.5): 125 bytes with its code. */
const REASON_BYTES_MAX = 123;

/** What a waiting message takes beside its text, about: even an empty one takes memory. */
const MESSAGE_BYTES = 64;

/** Bounds of a connection, in bytes. */
interface SocketBounds {
  readonly bufferedBytesMax: number;
  readonly messageBytesMax: number;
}

/** What a connection needs from its server. */
interface SocketContext {
  readonly bounds: SocketBounds;
  readonly client: Asker;
  readonly answers: AnswerQueue;
  readonly report: (cause: unknown) => void;
}

/** A connection with its handler. Only this object uses the native socket. */
export class UwsSocket implements WebSocketConnection {
  readonly #bounds: SocketBounds;
  readonly #client: Asker;
  readonly #answers: AnswerQueue;
  readonly #report: (cause: unknown) => void;
  /** Messages that wait for their turn. */
  #messages: string[] = [];
  #waitingBytes = 0;
  /** Undefined once closed: using a closed socket would throw. */
  #socket: WebSocket<unknown> | undefined;
  #handler: WebSocketHandler | undefined;

  constructor(socket: WebSocket<unknown>, context: SocketContext) {
    this.#socket = socket;
    this.#bounds = context.bounds;
    this.#client = context.client;
    this.#answers = context.answers;
    this.#report = context.report;
  }

  readonly isOpen = (): boolean => this.#socket !== undefined;

  readonly bufferedBytes = (): number => this.#socket?.getBufferedAmount() ?? 0;

  readonly send = (text: string): void => {
    const socket = this.#socket;
    if (socket === undefined) return;
    if (socket.getBufferedAmount() > this.#bounds.bufferedBytesMax) this.#end(CLOSINGS.slow);
    else socket.send(text);
  };

  readonly together = (write: () => void): void => {
    if (this.#socket === undefined) this.#guarded(write);
    else this.#socket.cork(() => this.#guarded(write));
  };

  readonly close = (code: number, reason: string): void => {
    this.#end([code, firstBytes(reason, REASON_BYTES_MAX)]);
  };

  opened(open: (connection: WebSocketConnection) => WebSocketHandler): void {
    this.#guarded(() => {
      this.#handler = open(this);
    });
    // It was closed while it opened.
    if (this.#socket === undefined) this.#tellClosed();
  }

  message(bytes: ArrayBuffer, isBinary: boolean): void {
    if (isBinary) this.#end(CLOSINGS.binary);
    else if (bytes.byteLength > this.#bounds.messageBytesMax) this.#end(CLOSINGS.long);
    else if (this.#waitingBytes > this.#bounds.bufferedBytesMax) this.#end(CLOSINGS.eager);
    // The bytes are invalid after this returns; the native library has checked that they are UTF-8.
    else this.#take(Buffer.from(bytes).toString(), bytes.byteLength + MESSAGE_BYTES);
  }

  drained(): void {
    this.#guarded(() => this.#handler?.drained());
  }

  restart(): void {
    this.#guarded(() => this.#handler?.closing());
    this.#end(CLOSINGS.restart);
  }

  /** To be called when the native socket has closed, whichever side closed it. */
  closed(): void {
    this.#socket = undefined;
    this.#tellClosed();
  }

  /** Messages of a connection keep their order, even while the queue answers the newest first. */
  #take(message: string, bytesCount: number): void {
    if (this.#messages.length === 0 && this.#answers.takesAtOnce(this.#client)) {
      this.#guarded(() => this.#handler?.message(message));
      return;
    }
    this.#messages.push(message);
    this.#waitingBytes += bytesCount;
    const turn: WaitingAnswer = {
      compute: () => {
        this.#waitingBytes -= bytesCount;
        const next = this.#messages.shift();
        if (next !== undefined) this.#guarded(() => this.#handler?.message(next));
      },
      write: nothing,
      // A sender of messages does not wait for each answer. So a refused turn is queued again, as
      // the newest, and answered late.
      refuse: () => void this.#answers.add(turn, this.#client),
    };
    this.#answers.add(turn, this.#client);
  }

  #end([code, reason]: readonly [code: number, reason: string]): void {
    // Calls `closed` before it returns.
    this.#socket?.end(code, reason);
  }

  #tellClosed(): void {
    const handler = this.#handler;
    this.#handler = undefined;
    this.#messages = [];
    try {
      handler?.closed();
    } catch (cause) {
      this.#report(cause);
    }
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (cause) {
      this.#report(cause);
      this.#end(CLOSINGS.failed);
    }
  }
}

const nothing = (): void => {};

/** The first whole characters of a text that fit into so many bytes. */
function firstBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

import type { WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import type { SocketAction } from "./messages.ts";

/** A WebSocket of another thread. */
export class RemoteConnection implements WebSocketConnection {
  handler: WebSocketHandler | undefined;
  readonly #socket: number;
  readonly #post: (action: SocketAction) => void;
  readonly #backlogBytes: () => number;
  #bufferedBytes = 0;
  /** Of texts, as they are counted in JavaScript. */
  #postedLength = 0;
  #takenLength = 0;
  #isOpen = true;

  /** `backlogBytes` is what the other thread has not taken yet, of all its WebSockets. */
  constructor(socket: number, post: (action: SocketAction) => void, backlogBytes: () => number) {
    this.#socket = socket;
    this.#post = post;
    this.#backlogBytes = backlogBytes;
  }

  readonly isOpen = (): boolean => this.#isOpen;

  readonly bufferedBytes = (): number =>
    this.#bufferedBytes + (this.#postedLength - this.#takenLength) + this.#backlogBytes();

  readonly send = (text: string): void => {
    if (!this.#isOpen) return;
    this.#postedLength += text.length;
    this.#post({ socket: this.#socket, text });
  };

  /** What is sent in one turn is posted together anyway. */
  readonly together = (write: () => void): void => write();

  readonly close = (code: number, reason: string): void => {
    if (this.#isOpen) this.#post({ socket: this.#socket, code, reason });
  };

  /** What waits for its reader by now, and the length of all texts that were taken. */
  buffers(bytes: number, takenLength: number): void {
    this.#bufferedBytes = bytes;
    this.#takenLength = takenLength;
    this.handler?.drained();
  }

  /** It is gone. */
  ended(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.handler?.closed();
  }
}

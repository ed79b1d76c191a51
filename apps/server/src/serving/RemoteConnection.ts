import type { WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import type { SocketAction } from "./messages.ts";

/** A WebSocket that another thread holds. */
export class RemoteConnection implements WebSocketConnection {
  handler: WebSocketHandler | undefined;
  readonly #socket: number;
  readonly #post: (action: SocketAction) => void;
  readonly #backlogBytes: () => number;
  #bufferedBytes = 0;
  /** Lengths of texts, in JavaScript's units. */
  #postedLength = 0;
  #takenLength = 0;
  #isOpen = true;

  /** `backlogBytes` gives what the other thread has not taken yet, for all its WebSockets. */
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

  /** All texts of one turn are posted together anyway. */
  readonly together = (write: () => void): void => write();

  readonly close = (code: number, reason: string): void => {
    if (this.#isOpen) this.#post({ socket: this.#socket, code, reason });
  };

  /** Updates the bytes that wait for the reader, and the length of all texts taken. */
  buffers(bytes: number, takenLength: number): void {
    this.#bufferedBytes = bytes;
    this.#takenLength = takenLength;
    this.handler?.drained();
  }

  /** The WebSocket is gone. */
  ended(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.handler?.closed();
  }
}

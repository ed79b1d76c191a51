import type { UpgradeRequest, WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import type { Limits } from "../limits/Limits.ts";
import type { ServingCounts } from "../metrics/ServingCounts.ts";
import { sourceOf } from "../streaming/makeAdmission.ts";
import { farewell } from "../streaming/Session.ts";
import type { MainThread } from "./MainThread.ts";
import type { SocketAction } from "./messages.ts";

/** Headers that identify a client; see `Limits`. */
const IDENTIFYING = ["x-forwarded-for", "x-api-key", "authorization"];

/** The WebSockets of a serving thread; the writing thread answers their messages. */
export class ThreadSockets {
  readonly #main: MainThread;
  readonly #limits: Pick<Limits["Service"], "identify">;
  readonly #counts: ServingCounts;
  readonly #sockets = new Map<number, ThreadSocket>();
  /** Open WebSockets by address: on this thread, and on the others. */
  readonly #own = new Map<string, number>();
  readonly #ofOthers = new Map<string, number>();
  #count = 0;

  constructor(
    main: MainThread,
    limits: Pick<Limits["Service"], "identify">,
    counts: ServingCounts,
  ) {
    this.#main = main;
    this.#limits = limits;
    this.#counts = counts;
  }

  /** How many WebSockets an address has open. */
  readonly openOf = (address: string): number =>
    (this.#own.get(address) ?? 0) + (this.#ofOthers.get(address) ?? 0);

  /** Takes how many WebSockets an address has open on other threads. */
  openElsewhere(address: string, count: number): void {
    if (count === 0) this.#ofOthers.delete(address);
    else this.#ofOthers.set(address, count);
  }

  readonly open = (connection: WebSocketConnection, request: UpgradeRequest): WebSocketHandler => {
    const socket = this.#count++;
    const { peerAddress, query, requestId, header } = request;
    const { address } = this.#limits.identify(sourceOf(request));
    const headers = Object.fromEntries(IDENTIFYING.map((name) => [name, header(name)]));
    this.#change(address, 1);
    this.#main.tell({
      kind: "open",
      socket,
      request: { peerAddress, query, requestId, headers },
    });
    const opened = new ThreadSocket(socket, connection, this.#main, () => {
      this.#sockets.delete(socket);
      this.#change(address, -1);
    });
    this.#sockets.set(socket, opened);
    return opened;
  };

  act(actions: ReadonlyArray<SocketAction>): void {
    // Consecutive actions of one socket leave in one packet.
    for (let at = 0; at < actions.length; ) {
      const { socket } = actions[at]!;
      let end = at + 1;
      while (end < actions.length && actions[end]!.socket === socket) end++;
      this.#sockets.get(socket)?.act(actions.slice(at, end));
      at = end;
    }
    this.#counts.add("batches", 1);
  }

  #change(address: string, change: 1 | -1): void {
    const count = (this.#own.get(address) ?? 0) + change;
    if (count === 0) this.#own.delete(address);
    else this.#own.set(address, count);
  }
}

/**
 * Less than the limit where a session stops, and far more than most messages: few reports are for
 * this alone.
 */
const UNREPORTED_MAX = 16_384;

class ThreadSocket implements WebSocketHandler {
  readonly #socket: number;
  readonly #connection: WebSocketConnection;
  readonly #main: MainThread;
  readonly #gone: () => void;
  /** As last reported to the other thread. */
  #bufferedBytes = 0;
  #reportedLength = 0;
  /** Length of all texts that the other thread gave. */
  #takenLength = 0;
  #isSending = false;

  constructor(socket: number, connection: WebSocketConnection, main: MainThread, gone: () => void) {
    this.#socket = socket;
    this.#connection = connection;
    this.#main = main;
    this.#gone = gone;
  }

  act(actions: ReadonlyArray<SocketAction>): void {
    this.#connection.together(() => {
      for (const action of actions) {
        if ("text" in action) {
          this.#takenLength += action.text.length;
          this.#send(action.text);
        } else this.#connection.close(action.code, action.reason);
      }
    });
    this.#tellBuffered();
  }

  message(text: string): void {
    this.#main.tell({ kind: "message", socket: this.#socket, text });
  }

  drained(): void {
    this.#tellBuffered();
  }

  closing(): void {
    this.#send(farewell());
  }

  closed(): void {
    this.#gone();
    // Sending closes the connection where too much waits.
    this.#main.tell({ kind: "closed", socket: this.#socket, isSlow: this.#isSending });
  }

  #send(text: string): void {
    this.#isSending = true;
    this.#connection.send(text);
    this.#isSending = false;
  }

  #tellBuffered(): void {
    if (!this.#connection.isOpen()) return;
    const bytes = this.#connection.bufferedBytes();
    const isFarBehind = this.#takenLength - this.#reportedLength > UNREPORTED_MAX;
    if (bytes === this.#bufferedBytes && !isFarBehind) return;
    this.#bufferedBytes = bytes;
    this.#reportedLength = this.#takenLength;
    this.#main.tell({ kind: "buffered", socket: this.#socket, bytes, taken: this.#takenLength });
  }
}

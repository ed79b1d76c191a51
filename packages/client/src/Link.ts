import type { ServerMessage } from "@millrace/api";
import { type BackOff, pauseMs } from "./backOff.ts";
import { Pace } from "./Pace.ts";
import type { Wanted } from "./Reader.ts";
import { type Message, readMessage } from "./readMessage.ts";
import { SubscriptionTable } from "./SubscriptionTable.ts";
import type { WebSocketLike } from "./WebSocketLike.ts";

/** Receives the events of a link. */
export interface LinkOwner {
  readonly opened: () => void;
  /** The link is over; `retryAfterMs` is what the server asked for, if it did. */
  readonly lost: (reason: string, retryAfterMs: number | undefined) => void;
}

type Limits = Extract<ServerMessage, { readonly op: "hello" }>["limits"];

/**
 * Time is counted in ticks of a timer. While this process itself is busy nothing ticks, so the
 * server does not seem silent.
 */
const TICK_MS = 1_000;
/** Ticks to wait for the server's hello, and for its answer to an operation. */
const HELLO_TICKS = 15;
const ANSWER_TICKS = 15;
/** After so many missed heartbeats the server counts as gone. */
const SILENT_BEATS = 2.5;
/** After so many heartbeats the last message may be out of date. */
const FRESH_BEATS = 1.5;
/** Bounds on the values that a server's hello may give. */
const HEARTBEAT_MS = { least: 1_000, most: 3_600_000 };
const PACE = { least: 1, most: 10_000 };
const SUBSCRIPTIONS_MAX = 1_000_000;
/** Operations that may wait for an answer at once; fewer than a server takes in a second. */
const WINDOW_MAX = 16;

/** One WebSocket, from its opening until it is lost, and the subscriptions over it. */
export class Link {
  readonly #owner: LinkOwner;
  readonly #backOff: BackOff;
  readonly #wanted = new Set<Wanted>();
  readonly #ticking: ReturnType<typeof setInterval>;
  #socket: WebSocketLike | undefined;
  #isOver = false;
  /** Undefined before the server's hello. */
  #table: SubscriptionTable | undefined;
  #pace = new Pace(PACE.least, 0);
  #heartbeatMs = HEARTBEAT_MS.least;
  /** From the server's `closing` message. */
  #retryAfterMs: number | undefined;
  #heardMs = performance.now();
  #waitedTicks = 0;
  #openTicks = 0;
  #silentTicks = 0;
  #unansweredTicks = 0;
  #window = WINDOW_MAX;
  #refusalsInARow = 0;
  #isPausing = false;
  #sending: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: LinkOwner, backOff: BackOff) {
    this.#owner = owner;
    this.#backOff = backOff;
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Opens the socket. Any failure of it, now or later, reaches the owner as a loss. */
  open(openSocket: () => WebSocketLike): void {
    let socket: WebSocketLike;
    try {
      socket = openSocket();
    } catch (cause) {
      this.#lose(`no socket: ${String(cause)}`);
      return;
    }
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = ({ code, reason }) => this.#lose(`closed with ${code} ${reason}`.trimEnd());
    // Browsers close the socket after an error; Node does not where the handshake failed.
    socket.onerror = (event) => {
      const detail = "message" in event ? event.message : "";
      this.#lose(`the socket failed ${detail}`.trimEnd());
    };
  }

  /** How long the link has been open, in milliseconds during which the event loop was not busy. */
  get openMs(): number {
    return this.#openTicks * TICK_MS;
  }

  /** Whether the server has sent anything lately. */
  get isFresh(): boolean {
    const silentMs = performance.now() - this.#heardMs;
    return this.#table !== undefined && silentMs <= FRESH_BEATS * this.#heartbeatMs;
  }

  subscribe(wanted: Wanted): void {
    this.#wanted.add(wanted);
    this.#table?.add(wanted);
    this.#send();
  }

  unsubscribe(wanted: Wanted): void {
    this.#wanted.delete(wanted);
    this.#table?.remove(wanted);
    this.#send();
  }

  /** Ends the link without telling the owner. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#ticking);
    clearTimeout(this.#sending);
    try {
      this.#socket?.close(1000);
    } catch {
      // The socket is closed already, or never opened.
    }
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#owner.lost(reason, this.#retryAfterMs);
  }

  #take(data: unknown): void {
    if (this.#isOver) return;
    let message: Message | undefined;
    try {
      message = readMessage(data);
    } catch (cause) {
      this.#lose(String(cause));
      return;
    }
    this.#heardMs = performance.now();
    this.#silentTicks = 0;
    if (message?.op === "hello") this.#hello(message.limits);
    else if (message?.op === "closing") this.#retryAfterMs = message.retryAfterMs;
    else if (message !== undefined) this.#takeNews(message);
  }

  #hello({ heartbeatMs, operationsPerSecond, subscriptionsMax }: Limits): void {
    if (this.#table !== undefined) return;
    this.#heartbeatMs = between(HEARTBEAT_MS.least, heartbeatMs, HEARTBEAT_MS.most);
    this.#pace = new Pace(between(PACE.least, operationsPerSecond, PACE.most), performance.now());
    this.#table = new SubscriptionTable(between(0, subscriptionsMax, SUBSCRIPTIONS_MAX));
    for (const wanted of this.#wanted) this.#table.add(wanted);
    this.#owner.opened();
    this.#send();
  }

  #takeNews(message: Exclude<Message, { readonly op: "hello" | "closing" }>): void {
    switch (message.op) {
      case "snapshot":
      case "update":
        this.#table?.deliver(message);
        return;
      case "subscribed":
      case "unsubscribed":
      case "error":
        this.#unansweredTicks = 0;
        this.#heed(this.#table?.answered(message));
    }
  }

  /**
   * After a refusal that time heals, the link sends one operation at a time, with growing pauses.
   */
  #heed(refusal: "final" | "passing" | undefined): void {
    if (refusal === "passing") {
      this.#window = 1;
      // Operations sent together are refused together, and count as one refusal.
      if (this.#isPausing) return;
      this.#isPausing = true;
      this.#sendIn(pauseMs(this.#backOff, this.#refusalsInARow++));
      return;
    }
    this.#refusalsInARow = 0;
    this.#window = Math.min(WINDOW_MAX, 2 * this.#window);
    this.#send();
  }

  /** Sends waiting operations, as many as the server takes now. */
  #send(): void {
    const table = this.#table;
    while (
      table?.hasOperation &&
      table.unansweredCount < this.#window &&
      this.#sending === undefined &&
      !this.#isOver
    ) {
      const waitMs = this.#pace.take(performance.now());
      if (waitMs > 0) {
        this.#sendIn(waitMs);
        return;
      }
      const operation = table.nextOperation();
      if (operation === undefined) return;
      try {
        this.#socket!.send(JSON.stringify(operation));
      } catch (cause) {
        this.#lose(`cannot send: ${String(cause)}`);
      }
    }
  }

  #sendIn(ms: number): void {
    clearTimeout(this.#sending);
    this.#sending = setTimeout(() => {
      this.#sending = undefined;
      this.#isPausing = false;
      this.#send();
    }, ms);
  }

  #tick(): void {
    if (this.#table === undefined) {
      if (++this.#waitedTicks >= HELLO_TICKS) this.#lose("the server does not say hello");
      return;
    }
    this.#openTicks++;
    this.#silentTicks++;
    this.#unansweredTicks = this.#table.unansweredCount > 0 ? this.#unansweredTicks + 1 : 0;
    if (this.#unansweredTicks >= ANSWER_TICKS) this.#lose("the server does not answer");
    else if (this.#silentTicks * TICK_MS > SILENT_BEATS * this.#heartbeatMs)
      this.#lose("the server is silent");
  }
}

const between = (least: number, value: number, most: number): number =>
  Math.min(most, Math.max(least, value));

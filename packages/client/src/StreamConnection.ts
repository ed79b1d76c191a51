import type { Issue, ProblemCode, ServerMessage } from "@millrace/api";
import { SendPace } from "./SendPace.ts";

/** What a connection tells of one subscription. */
export interface Reader {
  /** A snapshot, also after the connection was lost and found again, or an update. */
  readonly told: (message: StateMessage) => void;
  /** The server will not have it, and asking again would not help. */
  readonly refused: (refusal: StreamRefused) => void;
  /** The connection was lost: what was told may be old. It is subscribed again by itself. */
  readonly lost: () => void;
  /** The client was closed. */
  readonly closed: () => void;
}

export type StateMessage = Extract<ServerMessage, { readonly op: "snapshot" | "update" }>;

/** The server refused a subscription. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
  readonly code: ProblemCode;
  readonly issues: ReadonlyArray<Issue>;

  constructor(code: ProblemCode, detail: string, issues: ReadonlyArray<Issue>) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.issues = issues;
  }
}

/** The part of a browser's `WebSocket` that is used; Node has it too. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export interface ConnectionOptions {
  /** Makes a socket; the platform's own `WebSocket` where nothing is said. */
  readonly openSocket?: (url: string) => WebSocketLike;
  /** First pause before it connects again; doubled each time, and made uneven. Default 250. */
  readonly reconnectMs?: number;
  /** The longest such pause. Default 15,000. */
  readonly reconnectMaxMs?: number;
}

/** Where the connection stands. */
export type ConnectionState = "idle" | "connecting" | "open" | "lost" | "closed";

interface Wanted {
  readonly request: object;
  readonly reader: Reader;
  /** The server's name of it on the connection that is open. */
  name: string | undefined;
}

/** Operations that a server takes a second, until it says how many. */
const PACE = 20;
/** Silences of so many heartbeats mean that nobody is there. */
const SILENT_BEATS = 2.5;
const HEARTBEAT_MS = 15_000;
/** Refusals that time heals. */
const PASSING: ReadonlyArray<ProblemCode> = ["NOT_READY", "RATE_LIMITED"];

/**
 * One WebSocket for all subscriptions of a client. It connects with the first of them, and when it is
 * lost connects again, with growing pauses, and subscribes to all of them again.
 */
export class StreamConnection {
  readonly #url: string;
  readonly #options: ConnectionOptions;
  readonly #wanted = new Set<Wanted>();
  readonly #byName = new Map<string, Wanted>();
  readonly #byId = new Map<number, Wanted>();
  readonly #listeners = new Set<(state: ConnectionState) => void>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #state: ConnectionState = "idle";
  #socket: WebSocketLike | undefined;
  #pace: SendPace | undefined;
  #operationCount = 0;
  #failures = 0;
  #silenceMs = SILENT_BEATS * HEARTBEAT_MS;
  #heardMs = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(url: string, options: ConnectionOptions = {}) {
    this.#url = url;
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Calls back with every change of the state; gives the unsubscriber. */
  onState(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Subscribes for as long as nobody calls what this gives. `request` is without `op` and `id`. */
  subscribe(request: object, reader: Reader): () => void {
    if (this.#state === "closed") throw new Error("the client is closed");
    const wanted: Wanted = { request, reader, name: undefined };
    this.#wanted.add(wanted);
    if (this.#socket === undefined && this.#state === "idle") this.#connect();
    else if (this.#state === "open") this.#ask(wanted);
    return () => this.#drop(wanted);
  }

  /** Ends the connection and all subscriptions, for good. */
  close(): void {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#forgetSocket()?.close(1000, "");
    this.#become("closed");
    for (const { reader } of wanted) reader.closed();
  }

  #connect(): void {
    this.#become("connecting");
    const open = this.#options.openSocket ?? openPlatformSocket;
    const socket = open(this.#url);
    this.#socket = socket;
    this.#heard();
    this.#watch = setInterval(() => {
      if (Date.now() - this.#heardMs > this.#silenceMs) this.#lose(socket);
    }, 1_000);
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket && typeof data === "string") this.#take(data);
    };
    socket.onclose = () => this.#lose(socket);
    // What is wrong a browser does not tell; it closes afterwards.
    socket.onerror = () => {};
  }

  #take(text: string): void {
    this.#heard();
    const message = JSON.parse(text) as ServerMessage;
    switch (message.op) {
      case "hello":
        this.#opened(message.limits);
        return;
      case "subscribed": {
        const wanted = this.#byId.get(Number(message.id));
        this.#byId.delete(Number(message.id));
        if (wanted === undefined) return;
        if (!this.#wanted.has(wanted)) return this.#unsubscribe(message.subscription);
        wanted.name = message.subscription;
        this.#byName.set(message.subscription, wanted);
        return;
      }
      case "snapshot":
      case "update":
        this.#byName.get(message.subscription)?.reader.told(message);
        return;
      case "error":
        this.#refused(message);
    }
  }

  #opened({
    operationsPerSecond,
    heartbeatMs,
  }: {
    operationsPerSecond: number;
    heartbeatMs: number;
  }) {
    this.#failures = 0;
    this.#silenceMs = SILENT_BEATS * heartbeatMs;
    const socket = this.#socket!;
    this.#pace = new SendPace(operationsPerSecond || PACE, (text) => socket.send(text));
    this.#become("open");
    for (const wanted of this.#wanted) this.#ask(wanted);
  }

  #refused({ id, code, detail, issues = [] }: Extract<ServerMessage, { readonly op: "error" }>) {
    const wanted = this.#byId.get(Number(id));
    if (wanted === undefined) return;
    this.#byId.delete(Number(id));
    if (PASSING.includes(code)) {
      this.#after(this.#pauseMs(1), () => {
        if (this.#wanted.has(wanted) && this.#state === "open") this.#ask(wanted);
      });
    } else {
      this.#wanted.delete(wanted);
      wanted.reader.refused(new StreamRefused(code, detail, issues));
    }
  }

  #ask(wanted: Wanted): void {
    const id = ++this.#operationCount;
    this.#byId.set(id, wanted);
    this.#pace!.send(JSON.stringify({ op: "subscribe", id, ...wanted.request }));
  }

  #drop(wanted: Wanted): void {
    if (!this.#wanted.delete(wanted)) return;
    if (wanted.name === undefined) return;
    this.#byName.delete(wanted.name);
    this.#unsubscribe(wanted.name);
  }

  #unsubscribe(subscription: string): void {
    const id = ++this.#operationCount;
    this.#pace?.send(JSON.stringify({ op: "unsubscribe", id, subscription }));
  }

  #lose(socket: WebSocketLike): void {
    if (this.#socket !== socket) return;
    this.#forgetSocket();
    socket.close();
    this.#become("lost");
    for (const wanted of this.#wanted) {
      if (wanted.name !== undefined) wanted.reader.lost();
      wanted.name = undefined;
    }
    this.#after(this.#pauseMs(this.#failures++), () => this.#connect());
  }

  #forgetSocket(): WebSocketLike | undefined {
    const socket = this.#socket;
    clearInterval(this.#watch);
    this.#pace?.stop();
    this.#pace = undefined;
    this.#socket = undefined;
    this.#byName.clear();
    this.#byId.clear();
    return socket;
  }

  /** Doubles each time; uneven, so that clients of one server do not come back all at once. */
  #pauseMs(failures: number): number {
    const { reconnectMs = 250, reconnectMaxMs = 15_000 } = this.#options;
    const longest = Math.min(reconnectMaxMs, reconnectMs * 2 ** Math.min(failures, 16));
    return longest * (0.5 + Math.random() / 2);
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  #heard(): void {
    this.#heardMs = Date.now();
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

const openPlatformSocket = (url: string): WebSocketLike =>
  new WebSocket(url) as unknown as WebSocketLike;

import { MessageChannel, type TransferListItem, Worker } from "node:worker_threads";
import type { GraphReaders } from "@millrace/core";
import type { TokenVerdict } from "@millrace/execution";
import type { UpgradeRequest, WebSocketConnection, WebSocketHandler } from "@millrace/platform-uws";
import type { ServingCounts } from "../metrics/ServingCounts.ts";
import { type Answerer, AskedQuestions } from "./AskedQuestions.ts";
import type {
  FromThread,
  NetworkState,
  SocketAction,
  ThreadData,
  ThreadQuestion,
  ToThread,
} from "./messages.ts";
import { RemoteConnection } from "./RemoteConnection.ts";

// Sources run as TypeScript; packages have JavaScript.
const ENTRY = import.meta.url.endsWith(".ts")
  ? new URL("./servingWorker.ts", import.meta.url)
  : new URL("./servingWorker.js", import.meta.url);

/** Posts that the thread has not taken yet: beyond this, its WebSockets get no news for a while. */
const BATCHES_BEHIND_MAX = 256;
/** More than the limit up to which a session sends. */
const CONGESTED_BYTES = 2 ** 20;

/** What a serving thread needs of the service. */
export interface ThreadHost {
  readonly answer: Answerer;
  readonly openSocket: (
    connection: WebSocketConnection,
    request: UpgradeRequest,
  ) => { readonly handler: WebSocketHandler; readonly address: string };
  /** The number of an address's WebSockets on the thread has changed. */
  readonly counted: (thread: ServingThread, address: string) => void;
  readonly log: (entry: Extract<FromThread, { readonly kind: "log" }>) => void;
  readonly routed: (entry: Extract<FromThread, { readonly kind: "routed" }>) => void;
  readonly slowReader: () => void;
  readonly report: (cause: unknown) => void;
  /** The thread is gone; called once, with what ended it. */
  readonly ended: (thread: ServingThread, reason: unknown) => void;
}

/** A serving thread, seen from the writing thread. */
export class ServingThread {
  /** Resolves when the thread listens; rejects when it ends before that. */
  readonly listening: Promise<void>;
  /** Resolves when the thread is gone. */
  readonly gone: Promise<void>;
  readonly index: number;
  readonly #worker: Worker;
  readonly #host: ThreadHost;
  readonly #counts: ServingCounts;
  readonly #asked: AskedQuestions;
  readonly #sockets = new Map<number, RemoteConnection>();
  readonly #connectionsOf = new Map<string, number>();
  readonly #unsubscribe = new Set<() => void>();
  #actions: SocketAction[] = [];
  #batchCount: number;
  #reason: unknown;

  constructor(data: ThreadData, counts: ServingCounts, host: ThreadHost) {
    this.index = data.index;
    this.#host = host;
    this.#asked = new AskedQuestions(host.answer);
    this.#counts = counts;
    this.#batchCount = counts.get("batches");
    this.#worker = new Worker(ENTRY, {
      workerData: data,
      name: `millrace serving ${data.index + 1}`,
    });
    this.#worker.on("error", (error) => {
      this.#reason ??= error;
    });
    const gone = Promise.withResolvers<void>();
    this.gone = gone.promise;
    this.listening = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: FromThread) => {
        if (message.kind === "listening") resolve();
        else this.#take(message);
      });
      this.#worker.on("exit", (code) => {
        const reason = this.#reason ?? new Error(`it ended with code ${code}`);
        this.#end();
        reject(reason);
        host.ended(this, reason);
        gone.resolve();
      });
    });
    this.listening.catch(() => {});
  }

  /** Number of an address's open WebSockets on the thread. */
  openOf(address: string): number {
    return this.#connectionsOf.get(address) ?? 0;
  }

  /** Addresses with open WebSockets on the thread. */
  get addresses(): Iterable<string> {
    return this.#connectionsOf.keys();
  }

  post(message: ToThread, transfer: ReadonlyArray<TransferListItem> = []): void {
    this.#worker.postMessage(message, transfer);
  }

  tellState(state: NetworkState): void {
    this.post({ kind: "network", state });
  }

  tellVerdicts(network: string, verdicts: ReadonlyArray<TokenVerdict>): void {
    this.post({ kind: "verdicts", network, verdicts });
  }

  /** Makes the thread follow a graph until it ends. */
  follow(network: string, readers: GraphReaders): void {
    const { port1, port2 } = new MessageChannel();
    this.#unsubscribe.add(readers.add((update) => port1.postMessage(update)));
    this.#unsubscribe.add(() => port1.close());
    this.post({ kind: "graph", network, port: port2 }, [port2]);
  }

  /** Makes the thread finish requests in flight, then end. */
  leave(): void {
    this.post({ kind: "leave" });
  }

  #take(message: FromThread): void {
    switch (message.kind) {
      case "question":
        this.#answer(message.id, message.question);
        return;
      case "forget":
        this.#asked.forget(message.id);
        return;
      case "open":
        this.#open(message.socket, message.request);
        return;
      case "message":
        this.#guarded(message.socket, ({ handler }) => handler?.message(message.text));
        return;
      case "buffered":
        this.#guarded(message.socket, (connection) =>
          connection.buffers(message.bytes, message.taken),
        );
        return;
      case "closed":
        if (message.isSlow) this.#host.slowReader();
        this.#close(message.socket);
        return;
      case "routed":
        this.#host.routed(message);
        return;
      case "log":
        this.#host.log(message);
        return;
      case "failed":
        this.#reason ??= new Error(message.reason);
    }
  }

  #answer(id: number, question: ThreadQuestion): void {
    this.#asked.add(id, question, (answer) => this.post({ kind: "answer", id, answer }));
  }

  #open(socket: number, request: Extract<FromThread, { readonly kind: "open" }>["request"]): void {
    const { headers, ...asked } = request;
    const connection = new RemoteConnection(
      socket,
      (action) => this.#act(action),
      () => this.#backlogBytes(),
    );
    this.#sockets.set(socket, connection);
    this.#guarded(socket, () => {
      const upgrade = { ...asked, header: (name: string) => headers[name] ?? "" };
      const { handler, address } = this.#host.openSocket(connection, upgrade);
      this.#count(address, 1);
      connection.handler = {
        message: (text) => handler.message(text),
        drained: () => handler.drained(),
        closing: () => handler.closing(),
        closed: () => {
          this.#count(address, -1);
          handler.closed();
        },
      };
    });
  }

  #close(socket: number): void {
    this.#guarded(socket, (connection) => connection.ended());
    this.#sockets.delete(socket);
  }

  #count(address: string, change: 1 | -1): void {
    const count = this.openOf(address) + change;
    if (count === 0) this.#connectionsOf.delete(address);
    else this.#connectionsOf.set(address, count);
    this.#host.counted(this, address);
  }

  /** Posts all actions of one turn together. */
  #act(action: SocketAction): void {
    if (this.#actions.length === 0) queueMicrotask(() => this.#postActions());
    this.#actions.push(action);
  }

  #postActions(): void {
    const actions = this.#actions;
    this.#actions = [];
    this.#batchCount++;
    this.post({ kind: "sockets", actions });
  }

  #backlogBytes(): number {
    const behind = this.#batchCount - this.#counts.get("batches");
    return behind > BATCHES_BEHIND_MAX ? CONGESTED_BYTES : 0;
  }

  /** As on the platform: an error of a handler is logged, and closes its connection. */
  #guarded(socket: number, run: (connection: RemoteConnection) => void): void {
    const connection = this.#sockets.get(socket);
    if (connection === undefined) return;
    try {
      run(connection);
    } catch (cause) {
      this.#host.report(cause);
      connection.close(1011, "something went wrong on our side");
    }
  }

  /** Drops the thread's questions, and closes its WebSockets. */
  #end(): void {
    this.#asked.forgetAll();
    for (const socket of [...this.#sockets.keys()]) this.#close(socket);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#counts.gone();
  }
}

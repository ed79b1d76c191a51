import { Worker } from "node:worker_threads";
import { HistoryError } from "../HistoryStore.ts";
import type { CopyData } from "./copyWorker.ts";
import type { HistoryReply, HistoryTask, HistoryThreadData } from "./messages.ts";

// Sources run as TypeScript; the package holds JavaScript.
const [ENTRY, COPY] = import.meta.url.endsWith(".ts")
  ? [new URL("./historyWorker.ts", import.meta.url), new URL("./copyWorker.ts", import.meta.url)]
  : [new URL("./historyWorker.js", import.meta.url), new URL("./copyWorker.js", import.meta.url)];

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HistoryError) => void;
}

/** A thread with an open file. */
export class HistoryThread {
  /** Resolves when the file is open; rejects with a HistoryError when it cannot be. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #end: HistoryError | undefined;

  constructor(data: HistoryThreadData) {
    this.#worker = new Worker(ENTRY, { workerData: data, name: "millrace history" });
    let end = unavailable("it ended");
    this.#worker.on("error", (error) => {
      end = unavailable(String(error));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (reply: HistoryReply) => {
        if (reply.kind === "ready") resolve();
        else if (reply.kind === "failure" && reply.number === undefined) end = failureIn(reply);
        else this.#take(reply);
      });
      this.#worker.on("exit", () => {
        this.#end ??= end;
        reject(this.#end);
        for (const { reject: fail } of this.#waiting.values()) fail(this.#end);
        this.#waiting.clear();
      });
    });
    // Callers get the error from their tasks; nobody has to handle both.
    this.ready.catch(() => {});
  }

  /** The thread has ended, or could not start. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sends a task without waiting for an answer. */
  send(task: HistoryTask): void {
    this.#worker.postMessage({ number: ++this.#number, task });
  }

  /** Sends a task and waits for its answer. Rejects with a HistoryError. */
  ask(task: HistoryTask): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.send(task);
    this.#waiting.set(this.#number, { resolve, reject });
    return promise;
  }

  /** Ends the thread after its current tasks: a transaction is not cut off. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#worker.once("exit", () => resolve());
    this.#end = unavailable("it is closed");
    this.send({ kind: "close" });
    await promise;
  }

  #take(reply: Exclude<HistoryReply, { readonly kind: "ready" }>): void {
    const waiting = this.#waiting.get(reply.number!);
    this.#waiting.delete(reply.number!);
    if (reply.kind === "answer") waiting?.resolve(reply.value);
    else waiting?.reject(failureIn(reply));
  }
}

/** Copies an open file, in a thread of its own. Rejects with a HistoryError. */
export function copyFile(data: CopyData): Promise<void> {
  const worker = new Worker(COPY, { workerData: data, name: "millrace history copy" });
  return new Promise((resolve, reject) => {
    worker.on("message", (reply: HistoryReply) => {
      if (reply.kind === "failure") reject(failureIn(reply));
      else resolve();
    });
    worker.on("error", (error) => reject(unavailable(String(error))));
    worker.on("exit", () => reject(unavailable("it ended")));
  });
}

const failureIn = ({ reason, detail }: HistoryReply & { readonly kind: "failure" }) =>
  new HistoryError({ reason, detail });

const unavailable = (detail: string) =>
  new HistoryError({ reason: "Unavailable", detail: `the thread of the history: ${detail}` });

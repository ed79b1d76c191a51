import type { MessagePort } from "node:worker_threads";
import { Effect } from "effect";
import type { Answers, FromThread, ThreadQuestion } from "./messages.ts";

/** The writing thread, as a serving thread sees it. */
export class MainThread {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (answer: Answers[keyof Answers]) => void>();
  #questionCount = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  tell(message: FromThread): void {
    this.#port.postMessage(message);
  }

  /** An interruption lets the other thread drop the work. */
  ask<Kind extends ThreadQuestion["kind"]>(
    question: ThreadQuestion & { readonly kind: Kind },
  ): Effect.Effect<Answers[Kind]> {
    return Effect.callback((resume) => {
      const id = this.#questionCount++;
      this.#waiting.set(id, (answer) => resume(Effect.succeed(answer as Answers[Kind])));
      this.tell({ kind: "question", id, question });
      return Effect.sync(() => {
        if (this.#waiting.delete(id)) this.tell({ kind: "forget", id });
      });
    });
  }

  answered(id: number, answer: Answers[keyof Answers]): void {
    const resume = this.#waiting.get(id);
    this.#waiting.delete(id);
    resume?.(answer);
  }
}

import type { Answers, ThreadQuestion } from "./messages.ts";

/** Answers a question; gives a function that drops it. */
export type Answerer = (
  question: ThreadQuestion,
  done: (answer: Answers[keyof Answers]) => void,
) => () => void;

/** Questions of a thread without an answer yet, each with the function that drops it. */
export class AskedQuestions {
  readonly #answer: Answerer;
  readonly #drops = new Map<number, () => void>();

  constructor(answer: Answerer) {
    this.#answer = answer;
  }

  get size(): number {
    return this.#drops.size;
  }

  add(id: number, question: ThreadQuestion, done: (answer: Answers[keyof Answers]) => void): void {
    let isDone = false;
    const drop = this.#answer(question, (answer) => {
      isDone = true;
      this.#drops.delete(id);
      done(answer);
    });
    // Some questions are answered at once.
    if (!isDone) this.#drops.set(id, drop);
  }

  /** Drops a question whose answer nobody waits for any more. */
  forget(id: number): void {
    this.#drops.get(id)?.();
    this.#drops.delete(id);
  }

  forgetAll(): void {
    for (const drop of this.#drops.values()) drop();
    this.#drops.clear();
  }
}

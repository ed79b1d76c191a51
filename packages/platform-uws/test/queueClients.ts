import { AnswerQueue, type WaitingAnswer } from "../src/AnswerQueue.ts";

export const ANSWER_MS = 0.04;
const REFUSE_MS = 0.005;
/** Each carries one request at a time. */
const CONNECTIONS = 10_000;

/** An event loop whose time passes only by what is done on it. */
class Loop {
  nowMs = 0;
  /** Turns in which something ran. */
  turnCount = 0;
  #waiting: Array<() => void> = [];
  #timers: Array<readonly [atMs: number, run: () => void]> = [];
  readonly turns = {
    nowMs: () => this.nowMs,
    afterInput: (run: () => void) => void this.#waiting.push(run),
    after: (ms: number, run: () => void) => void this.#timers.push([this.nowMs + ms, run]),
  };

  turn(): void {
    const timers = this.#timers;
    this.#timers = [];
    for (const timer of timers) {
      if (timer[0] <= this.nowMs) timer[1]();
      else this.#timers.push(timer);
    }
    const runs = this.#waiting;
    this.#waiting = [];
    if (runs.length > 0) this.turnCount++;
    for (const run of runs) run();
  }
}

/** Connections of a client to a queue, and what became of what they asked. */
export class Clients {
  readonly loop: Loop;
  readonly queue: AnswerQueue;
  readonly client = { name: "", isEarly: false };
  /** Milliseconds that each answer took to come, in their order. */
  answeredMs: number[] = [];
  refusedMs: number[] = [];
  answerMs = ANSWER_MS;
  readonly #freed: Array<() => void> = [];

  constructor(waitMs?: number, other?: Clients) {
    this.loop = other?.loop ?? new Loop();
    this.queue = other?.queue ?? new AnswerQueue(waitMs, this.loop.turns);
  }

  /** Of another client, whose requests wait in the same queue. */
  static beside(other: Clients, name: string): Clients {
    const clients = new Clients(undefined, other);
    clients.client.name = name;
    return clients;
  }

  ask(again = false): () => void {
    const { loop } = this;
    const askedMs = loop.nowMs;
    const ended = (durations: number[]) => {
      durations.push(loop.nowMs - askedMs);
      if (again) this.#freed.push(() => this.ask(true));
    };
    const waiting: WaitingAnswer = {
      compute: () => {
        loop.nowMs += this.answerMs;
      },
      write: () => ended(this.answeredMs),
      refuse: () => {
        loop.nowMs += REFUSE_MS;
        ended(this.refusedMs);
      },
    };
    const place = this.queue.add(waiting, this.client);
    return () => this.queue.leave(place);
  }

  /** Each asks again when it has its answer, whatever it is. */
  waiting(count: number): void {
    for (let client = 0; client < count; client++) this.ask(true);
  }

  /** Turns of the loop for so long, with so many new requests a second. */
  run(ms: number, perSecond = 0, others: ReadonlyArray<Clients> = []): void {
    const { loop } = this;
    const endMs = loop.nowMs + ms;
    const startMs = loop.nowMs;
    let asked = 0;
    while (loop.nowMs < endMs) {
      const before = loop.nowMs;
      for (const clients of [this, ...others]) {
        for (const ask of clients.#freed.splice(0)) ask();
      }
      for (; asked < ((loop.nowMs - startMs) / 1_000) * perSecond; asked++) {
        if (this.queue.length < CONNECTIONS) this.ask();
      }
      loop.turn();
      // The loop sleeps until something comes.
      if (loop.nowMs === before) loop.nowMs += 0.01;
    }
  }

  forget(): void {
    this.answeredMs = [];
    this.refusedMs = [];
  }
}

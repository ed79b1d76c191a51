import { Clock, Context, Duration, Effect, type Exit, Random, References, Scheduler } from "effect";
import { RandomSource } from "./RandomSource.ts";

/** More tasks than this at one instant mean a loop that never waits. */
const TASKS_AT_ONCE_MAX = 500_000;

/**
 * Time, tasks and randomness of one run. Nothing comes from the machine's clock or event loop, so
 * every run is the same, and takes no longer than its computing.
 */
export class VirtualTime {
  #now: number;
  #order = 0;
  #asleep: Sleeper[] = []; // latest first
  #tasks: Task[] = [];
  readonly #dice: RandomSource;

  constructor(startMs: number, seed: number) {
    this.#now = startMs;
    this.#dice = new RandomSource(seed);
  }

  get now(): number {
    return this.#now;
  }

  /**
   * Runs an effect to its end. Throws when it waits for something that cannot happen, or never
   * waits.
   */
  run<A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
    const fiber = Effect.runForkWith(this.#services())(effect);
    for (;;) {
      this.#runTasks();
      const exit = fiber.pollUnsafe();
      if (exit !== undefined) return exit;
      const next = this.#asleep.pop();
      if (next === undefined) throw new Error("everything waits, and nothing will wake it");
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }

  #runTasks(): void {
    let count = 0;
    while (this.#tasks.length > 0) {
      const tasks = this.#tasks;
      this.#tasks = [];
      if (tasks.some(({ priority }) => priority !== 0)) {
        tasks.sort((a, b) => a.priority - b.priority);
      }
      for (const { task } of tasks) task();
      count += tasks.length;
      if (count > TASKS_AT_ONCE_MAX) throw new Error("a loop that waits for nothing");
    }
  }

  #services() {
    const dice = this.#dice;
    return Context.make(Clock.Clock, this.#clock()).pipe(
      Context.add(Scheduler.Scheduler, this.#scheduler()),
      Context.add(Random.Random, {
        nextDoubleUnsafe: () => dice.next(),
        nextIntUnsafe: () => Math.floor((dice.next() - 0.5) * Number.MAX_SAFE_INTEGER),
      }),
      Context.add(References.MinimumLogLevel, "None"),
    );
  }

  #clock(): Clock.Clock {
    const millis = () => this.#now;
    const nanos = () => BigInt(Math.round(this.#now * 1_000_000));
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => this.#sleep(Duration.toMillis(duration)),
    };
  }

  #sleep(ms: number): Effect.Effect<void> {
    if (ms <= 0) return Effect.yieldNow;
    return Effect.callback<void>((resume) => {
      const sleeper = { at: this.#now + ms, order: this.#order++, wake: () => resume(Effect.void) };
      if (sleeper.at !== Number.POSITIVE_INFINITY) this.#insert(sleeper);
      return Effect.sync(() => {
        const index = this.#asleep.indexOf(sleeper);
        if (index >= 0) this.#asleep.splice(index, 1);
      });
    });
  }

  /** Sleepers of the same instant wake in the order in which they fell asleep. */
  #insert(sleeper: Sleeper): void {
    let low = 0;
    let high = this.#asleep.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#asleep[middle]!.at > sleeper.at) low = middle + 1;
      else high = middle;
    }
    this.#asleep.splice(low, 0, sleeper);
  }

  #scheduler(): Scheduler.Scheduler {
    const dispatcher = {
      scheduleTask: (task: () => void, priority: number) => {
        this.#tasks.push({ task, priority });
      },
      flush: () => this.#runTasks(),
    };
    return {
      executionMode: "async",
      // Counts operations, as the default scheduler does: no clock decides.
      shouldYield: (fiber) =>
        (fiber as unknown as { currentOpCount: number }).currentOpCount >= 2048,
      makeDispatcher: () => dispatcher,
    };
  }
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

interface Task {
  readonly task: () => void;
  readonly priority: number;
}

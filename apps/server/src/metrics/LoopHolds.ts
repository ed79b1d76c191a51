import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { PerformanceObserver, performance } from "node:perf_hooks";
import { type Held, HOLDS_CHANNEL, type HoldCause } from "@millrace/core";
import { family } from "./family.ts";

/** `gc`: garbage collection; `other`: work that does not report itself. */
type Cause = HoldCause | "gc" | "other";

/** The longest hold by each cause in a part of the minute, in milliseconds. */
type Longest = Map<Cause, number>;

/** The last minute, which moves on by these parts. */
const PART_MS = 10_000;
const PARTS = 6;
/** Shorter turns are not recorded. */
const SHORT_MS = 0.1;

/**
 * The longest holds of the event loop. A hold is the time of a turn without its wait for input;
 * what arrives meanwhile is not read. Its cause is what took most of the turn. Garbage collection
 * happens within other work: its time counts for that work, and once more for itself.
 */
export class LoopHolds {
  readonly #parts: Longest[] = [];
  /** Of this turn. Set to 0 rather than cleared: a cleared Map leaves a table to collect. */
  readonly #heldMs = new Map<HoldCause, number>();
  #isHeld = false;
  #partEndMs = 0;
  #turnedMs = performance.now();
  #waitedMs = waitedMs();
  #next: NodeJS.Immediate;
  readonly #collecting: PerformanceObserver;

  constructor() {
    this.#collecting = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) this.#record("gc", duration);
    });
    this.#collecting.observe({ entryTypes: ["gc"] });
    subscribe(HOLDS_CHANNEL, this.#heard);
    this.#next = this.#afterTurn();
  }

  close(): void {
    clearImmediate(this.#next);
    unsubscribe(HOLDS_CHANNEL, this.#heard);
    this.#collecting.disconnect();
  }

  /** The longest hold by any cause, in milliseconds. */
  longestMs(): number {
    return Math.max(0, ...this.#current().flatMap((part) => [...part.values()]));
  }

  /** In the text format of Prometheus. */
  lines(): ReadonlyArray<string> {
    const longest = new Map<Cause, number>();
    for (const part of this.#current()) {
      for (const [cause, ms] of part) longest.set(cause, Math.max(longest.get(cause) ?? 0, ms));
    }
    return [
      ...family(
        NAME,
        "gauge",
        "Longest hold of the event loop in the last minute, by what took most of it.",
      ),
      ...Array.from(longest, ([cause, ms]) => `${NAME}{cause="${cause}"} ${ms / 1_000}`).sort(),
    ];
  }

  readonly #heard = (message: unknown): void => {
    const { cause, ms } = message as Held;
    this.#heldMs.set(cause, (this.#heldMs.get(cause) ?? 0) + ms);
    this.#isHeld = true;
  };

  /** Runs in each turn, and causes none: the loop still waits for input. */
  #afterTurn(): NodeJS.Immediate {
    return setImmediate(this.#turned).unref();
  }

  readonly #turned = (): void => {
    this.#next = this.#afterTurn();
    const nowMs = performance.now();
    const nowWaitedMs = waitedMs();
    const ms = nowMs - this.#turnedMs - (nowWaitedMs - this.#waitedMs);
    this.#turnedMs = nowMs;
    this.#waitedMs = nowWaitedMs;
    if (ms >= SHORT_MS) this.#record(this.#mainCause(ms), ms);
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const cause of this.#heldMs.keys()) this.#heldMs.set(cause, 0);
  };

  #mainCause(turnMs: number): Cause {
    let main: Cause = "other";
    let mostMs = turnMs;
    for (const ms of this.#heldMs.values()) mostMs -= ms;
    for (const [cause, ms] of this.#heldMs) {
      if (ms <= mostMs) continue;
      main = cause;
      mostMs = ms;
    }
    return main;
  }

  #record(cause: Cause, ms: number): void {
    const part = this.#current()[0]!;
    if (ms > (part.get(cause) ?? 0)) part.set(cause, ms);
  }

  /** The parts of the last minute, the newest first. */
  #current(): ReadonlyArray<Longest> {
    const nowMs = performance.now();
    if (nowMs < this.#partEndMs) return this.#parts;
    const passed = Math.ceil((nowMs - this.#partEndMs) / PART_MS);
    this.#partEndMs = nowMs + PART_MS;
    for (let part = 0; part < Math.min(passed, PARTS); part++) this.#parts.unshift(new Map());
    this.#parts.length = Math.min(this.#parts.length, PARTS);
    return this.#parts;
  }
}

const NAME = "millrace_event_loop_hold_seconds_max";

/** Milliseconds that the event loop has waited for input. */
const waitedMs = (): number => performance.nodeTiming.idleTime;

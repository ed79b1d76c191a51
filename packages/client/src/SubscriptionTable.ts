import type { ProblemCode } from "@millrace/api";
import type { Wanted } from "./Reader.ts";
import type { Message, StateMessage } from "./readMessage.ts";
import { StreamRefused } from "./streamErrors.ts";

type Answer = Extract<Message, { readonly op: "subscribed" | "unsubscribed" | "error" }>;

/** Final: asking again would not help. */
export type RefusalKind = "final" | "passing";

/** Refusals that time heals. */
const PASSING: ReadonlyArray<ProblemCode> = ["NOT_READY", "RATE_LIMITED"];

/**
 * What one connection is subscribed to, and what remains to be asked of the server: nothing is
 * queued but what is wanted now, so that who comes and goes at any pace leaves nothing behind.
 */
export class SubscriptionTable {
  readonly #subscriptionsMax: number;
  /** To be subscribed to, in this order. */
  readonly #fresh = new Set<Wanted>();
  /** Names of subscriptions that nobody wants any more. */
  readonly #unwanted = new Set<string>();
  /** What operations without an answer are for, in their order. */
  readonly #asked = new Map<number, Wanted | "given up" | "unsubscribe">();
  readonly #byName = new Map<string, Wanted>();
  readonly #names = new Map<Wanted, string>();
  #operationCount = 0;

  constructor(subscriptionsMax: number) {
    this.#subscriptionsMax = subscriptionsMax;
  }

  /** Operations that the server has yet to answer. */
  get unansweredCount(): number {
    return this.#asked.size;
  }

  get hasOperation(): boolean {
    return this.#fresh.size + this.#unwanted.size > 0;
  }

  add(wanted: Wanted): void {
    this.#fresh.add(wanted);
  }

  remove(wanted: Wanted): void {
    if (this.#fresh.delete(wanted)) return;
    const name = this.#names.get(wanted);
    if (name !== undefined) {
      this.#forget(name);
      this.#unwanted.add(name);
      return;
    }
    for (const [id, asked] of this.#asked) if (asked === wanted) this.#asked.set(id, "given up");
  }

  /** The next operation to send; undefined where what was left to do came to nothing. */
  nextOperation(): object | undefined {
    const id = ++this.#operationCount;
    for (const subscription of this.#unwanted) {
      this.#unwanted.delete(subscription);
      this.#asked.set(id, "unsubscribe");
      return { op: "unsubscribe", id, subscription };
    }
    for (const wanted of this.#fresh) {
      this.#fresh.delete(wanted);
      if (this.#occupied >= this.#subscriptionsMax) {
        const detail = `At most ${this.#subscriptionsMax} subscriptions a connection`;
        wanted.reader.refused(new StreamRefused("RATE_LIMITED", detail));
        continue;
      }
      this.#asked.set(id, wanted);
      return { op: "subscribe", id, ...wanted.request };
    }
    return undefined;
  }

  /** Takes the answer to an operation; gives the kind of refusal, where it is one. */
  answered(answer: Answer): RefusalKind | undefined {
    // They come in the order of the operations: one that names none is of the oldest.
    const id = answer.id ?? this.#asked.keys().next().value;
    if (typeof id !== "number" || !this.#asked.has(id)) return undefined;
    const asked = this.#asked.get(id);
    const wanted = typeof asked === "object" ? asked : undefined;
    this.#asked.delete(id);
    if (answer.op === "subscribed") this.#subscribed(answer.subscription, wanted);
    if (answer.op !== "error") return undefined;
    if (PASSING.includes(answer.code)) {
      if (wanted !== undefined) this.#fresh.add(wanted);
      return "passing";
    }
    wanted?.reader.refused(new StreamRefused(answer.code, answer.detail, answer.issues));
    return "final";
  }

  deliver(message: StateMessage): void {
    this.#byName.get(message.subscription)?.reader.received(message);
  }

  /** Subscriptions that the server will hold when it has seen all that was sent. */
  get #occupied(): number {
    let occupied = this.#byName.size;
    for (const asked of this.#asked.values()) if (asked !== "unsubscribe") occupied++;
    return occupied;
  }

  #subscribed(name: string, wanted: Wanted | undefined): void {
    if (wanted === undefined) {
      this.#unwanted.add(name);
      return;
    }
    this.#byName.set(name, wanted);
    this.#names.set(wanted, name);
  }

  #forget(name: string): void {
    this.#names.delete(this.#byName.get(name)!);
    this.#byName.delete(name);
  }
}

import type { ProblemCode } from "@millrace/api";
import type { Wanted } from "./Reader.ts";
import type { Message, StateMessage } from "./readMessage.ts";
import { StreamRefused } from "./streamErrors.ts";

type Answer = Extract<Message, { readonly op: "subscribed" | "unsubscribed" | "error" }>;

/** `final`: asking again would not help. `passing`: it may. */
export type RefusalKind = "final" | "passing";

/** Problem codes that may pass with time. */
const PASSING: ReadonlyArray<ProblemCode> = ["NOT_READY", "RATE_LIMITED"];

/**
 * The subscriptions of one connection, and the operations still to be sent. Only what readers want
 * now is queued, so that readers that come and go leave nothing behind.
 */
export class SubscriptionTable {
  readonly #subscriptionsMax: number;
  /** Subscriptions still to be requested, in this order. */
  readonly #fresh = new Set<Wanted>();
  /** Names of subscriptions that no reader wants any more. */
  readonly #unwanted = new Set<string>();
  /**
   * The purpose of each operation that has no answer yet, by its id, in the order sent. A name: the
   * subscription of that name is to end. Null: no reader wants the subscription any more.
   */
  readonly #asked = new Map<number, Wanted | string | null>();
  readonly #byName = new Map<string, Wanted>();
  readonly #names = new Map<Wanted, string>();
  #operationCount = 0;

  constructor(subscriptionsMax: number) {
    this.#subscriptionsMax = subscriptionsMax;
  }

  /** Operations that the server has not answered yet. */
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
    for (const [id, asked] of this.#asked) if (asked === wanted) this.#asked.set(id, null);
  }

  /** The next operation to send; undefined where all that waited was refused here. */
  nextOperation(): object | undefined {
    const id = ++this.#operationCount;
    for (const subscription of this.#unwanted) {
      this.#unwanted.delete(subscription);
      this.#asked.set(id, subscription);
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

  /** Takes the answer to an operation. For a refusal, gives its kind. */
  answered(answer: Answer): RefusalKind | undefined {
    // Answers come in the order of the operations: one without an id is for the oldest.
    const id = answer.id ?? this.#asked.keys().next().value;
    const asked = this.#asked.get(id as number);
    if (asked === undefined) return undefined;
    this.#asked.delete(id as number);
    const wanted = typeof asked === "string" ? null : asked;
    if (answer.op === "subscribed") this.#subscribed(answer.subscription, wanted);
    if (answer.op !== "error") return undefined;
    if (PASSING.includes(answer.code)) {
      if (typeof asked === "string") this.#unwanted.add(asked);
      else if (asked !== null) this.#fresh.add(asked);
      return "passing";
    }
    wanted?.reader.refused(new StreamRefused(answer.code, answer.detail, answer.issues));
    return "final";
  }

  deliver(message: StateMessage): void {
    this.#byName.get(message.subscription)?.reader.received(message);
  }

  /** Subscriptions that the server will hold once it has handled all operations sent. */
  get #occupied(): number {
    let occupied = this.#byName.size;
    for (const asked of this.#asked.values()) if (typeof asked !== "string") occupied++;
    return occupied;
  }

  #subscribed(name: string, wanted: Wanted | null): void {
    if (wanted === null) {
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

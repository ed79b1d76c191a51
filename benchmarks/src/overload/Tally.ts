import { quantile } from "../statistics.ts";
import type { LoopReport } from "./loops.ts";

/** The outcomes of the requests of some clients. */
export class Tally {
  asked = 0;
  unsent = 0;
  broken = 0;
  #others = 0;
  readonly #acceptedUs: number[] = [];
  readonly #shedUs: number[] = [];
  readonly #lateUs: number[] = [];

  /** Counts how long after its due time a request is sent. */
  sent(dueMs: number, nowMs: number): void {
    this.#lateUs.push(1_000 * (nowMs - dueMs));
  }

  /** Counts an answer, from when its request was sent. */
  answered(status: string, sentMs: number, nowMs: number): void {
    const us = 1_000 * (nowMs - sentMs);
    if (status === "200") this.#acceptedUs.push(us);
    else if (status === "503") this.#shedUs.push(us);
    else this.#others++;
  }

  report(): LoopReport {
    return {
      asked: this.asked,
      unsent: this.unsent,
      accepted: this.#acceptedUs.length,
      shed: this.#shedUs.length,
      others: this.#others,
      broken: this.broken,
      p50Us: quantile(this.#acceptedUs, 0.5),
      p99Us: quantile(this.#acceptedUs, 0.99),
      shedP99Us: quantile(this.#shedUs, 0.99),
      lateP99Us: this.#lateUs.length > 0 ? quantile(this.#lateUs, 0.99) : 0,
    };
  }
}

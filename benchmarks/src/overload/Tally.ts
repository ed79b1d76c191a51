import { quantile } from "../statistics.ts";
import type { LoopReport } from "./loops.ts";

/** What became of the requests of some clients. */
export class Tally {
  asked = 0;
  unsent = 0;
  broken = 0;
  #others = 0;
  readonly #acceptedUs: number[] = [];
  readonly #shedUs: number[] = [];

  /** Counts an answer, from when its request was due. */
  answered(status: string, dueMs: number, nowMs: number): void {
    const us = 1_000 * (nowMs - dueMs);
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
    };
  }
}

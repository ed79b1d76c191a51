import { enlarged } from "../enlarged.ts";
import { VALUES_A_DOLLAR, WINDOWS, type WindowSums } from "./TradedBlock.ts";

const WINDOW_COUNT = WINDOWS.length;
const COUNTS = 3;
const TRANSACTIONS = 0;
const BUYS = 1;
const SELLS = 2;

/** Sums over each rolling window, by subject: for pools, or for tokens. */
export class WindowTotals {
  // Index: subject × WINDOW_COUNT + window. Whole numbers: sums of them are exact.
  #values = new Float64Array(0);
  // Index: (subject × WINDOW_COUNT + window) × COUNTS + what is counted.
  #counts = new Int32Array(0);

  get byteLength(): number {
    return this.#values.byteLength + this.#counts.byteLength;
  }

  reserve(subjects: number): void {
    this.#values = enlarged(this.#values, subjects * WINDOW_COUNT);
    this.#counts = enlarged(this.#counts, subjects * WINDOW_COUNT * COUNTS);
  }

  /** Adds to a subject's sums of the windows from `first` to `last`. */
  add(
    subject: number,
    first: number,
    last: number,
    value: number,
    transactions: number,
    buys: number,
    sells: number,
  ): void {
    for (let window = first; window <= last; window++) {
      const at = subject * WINDOW_COUNT + window;
      this.#values[at]! += value;
      this.#counts[at * COUNTS + TRANSACTIONS]! += transactions;
      this.#counts[at * COUNTS + BUYS]! += buys;
      this.#counts[at * COUNTS + SELLS]! += sells;
    }
  }

  /** US dollars; 0 for a subject without any sums. */
  volumeUsd(subject: number, window: number): number {
    const value = this.#values[subject * WINDOW_COUNT + window] ?? 0;
    // Only sums that are too large to be exact can end below 0.
    return Math.max(0, value) / VALUES_A_DOLLAR;
  }

  transactions(subject: number, window: number): number {
    return this.#counts[(subject * WINDOW_COUNT + window) * COUNTS + TRANSACTIONS] ?? 0;
  }

  buys(subject: number, window: number): number {
    return this.#counts[(subject * WINDOW_COUNT + window) * COUNTS + BUYS] ?? 0;
  }

  sells(subject: number, window: number): number {
    return this.#counts[(subject * WINDOW_COUNT + window) * COUNTS + SELLS] ?? 0;
  }

  /** One sum for all subjects. Index: the subject plus 1; index 0, for no subject, is 0. */
  column(what: keyof WindowSums, window: number): Float64Array {
    return what === "volumeUsd"
      ? this.#volumesUsd(window)
      : this.#counted({ transactions: TRANSACTIONS, buys: BUYS, sells: SELLS }[what], window);
  }

  #volumesUsd(window: number): Float64Array {
    const values = this.#values;
    const column = new Float64Array(1 + Math.floor(values.length / WINDOW_COUNT));
    for (let linked = 1, at = window; linked < column.length; linked++, at += WINDOW_COUNT) {
      column[linked] = Math.max(0, values[at] ?? 0) / VALUES_A_DOLLAR;
    }
    return column;
  }

  #counted(what: number, window: number): Float64Array {
    const counts = this.#counts;
    const cells = WINDOW_COUNT * COUNTS; // of a subject
    const column = new Float64Array(1 + Math.floor(counts.length / cells));
    for (let linked = 1, at = window * COUNTS + what; linked < column.length; linked++) {
      column[linked] = counts[at] ?? 0;
      at += cells;
    }
    return column;
  }

  sums(subject: number, window: number): WindowSums {
    return {
      volumeUsd: this.volumeUsd(subject, window),
      transactions: this.transactions(subject, window),
      buys: this.buys(subject, window),
      sells: this.sells(subject, window),
    };
  }
}

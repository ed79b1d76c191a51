/** This many places are left empty at the old end before the rest moves there. */
const GAP_MIN = 32;

/** Numbers of trades, ascending, added and removed at either end, in constant time on average. */
export class TradeNumbers {
  // Places before `#first` are empty.
  #numbers: number[] = [];
  #first = 0;

  get count(): number {
    return this.#numbers.length - this.#first;
  }

  /** Appends a number above all others. */
  append(number: number): void {
    this.#numbers.push(number);
  }

  /** Prepends a number below all others. */
  prepend(number: number): void {
    if (this.#first === 0) {
      this.#first = Math.max(GAP_MIN, this.#numbers.length);
      this.#numbers = [...new Array<number>(this.#first).fill(0), ...this.#numbers];
    }
    this.#numbers[--this.#first] = number;
  }

  removeNewest(): void {
    this.#numbers.pop();
  }

  removeOldest(): void {
    this.#first++;
    if (this.#first < GAP_MIN || this.#first < this.count) return;
    this.#numbers = this.#numbers.slice(this.#first);
    this.#first = 0;
  }

  /** The numbers below a bound, the highest first. */
  *before(end: number): Generator<number> {
    let low = this.#first;
    let high = this.#numbers.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#numbers[middle]! < end) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= this.#first; at--) yield this.#numbers[at]!;
  }
}

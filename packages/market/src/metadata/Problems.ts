/** Problems of one file that are told one by one. */
const TOLD_MAX = 50;

/** What is wrong with a stranger's file: the first few in words, the others in number. */
export class Problems {
  readonly #told: string[] = [];
  #untold = 0;

  add(problem: string): void {
    if (this.#told.length < TOLD_MAX) this.#told.push(problem);
    else this.#untold++;
  }

  list(): ReadonlyArray<string> {
    return this.#untold === 0 ? this.#told : [...this.#told, `and ${this.#untold} more`];
  }
}

/** Number of problems of one file that are listed one by one. */
const LISTED_MAX = 50;

/** Problems of an untrusted file: the first ones in words, the rest as a number. */
export class Problems {
  readonly #listed: string[] = [];
  #omitted = 0;

  add(problem: string): void {
    if (this.#listed.length < LISTED_MAX) this.#listed.push(problem);
    else this.#omitted++;
  }

  list(): ReadonlyArray<string> {
    return this.#omitted === 0 ? this.#listed : [...this.#listed, `and ${this.#omitted} more`];
  }
}

/** The most faults of a file that are listed one by one. */
const FAULTS_LISTED = 20;
const VALUE_LENGTH_MAX = 60;

/** The faults of a file, in the order in which they were found. */
export class Faults {
  readonly #listed: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `path` is a place in the file, such as `pools[3].fee`. */
  add(path: string, problem: string): void {
    this.#count++;
    if (this.#count <= FAULTS_LISTED)
      this.#listed.push(path === "" ? problem : `${path}: ${problem}`);
  }

  /** One line for each fault, and the number of further ones. */
  toString(): string {
    const more = this.#count - this.#listed.length;
    return [...this.#listed, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  }
}

/** A value of a file as a fault shows it: short, and on one line. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}

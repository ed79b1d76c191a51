/** How many faults of a file are told one by one. */
const FAULTS_TOLD = 20;
const VALUE_LENGTH_MAX = 60;

/** What is wrong with a file, in the order in which it was found. */
export class Faults {
  readonly #told: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `path` is a place in the file, as `pools[3].fee`. */
  add(path: string, problem: string): void {
    this.#count++;
    if (this.#count <= FAULTS_TOLD) this.#told.push(path === "" ? problem : `${path}: ${problem}`);
  }

  /** One line for each fault, and how many more there are. */
  toString(): string {
    const more = this.#count - this.#told.length;
    return [...this.#told, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  }
}

/** A value of a file as a fault shows it: never long, and never more than one line. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}

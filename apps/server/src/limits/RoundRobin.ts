/**
 * Items that wait, in a line for each client. The clients take turns, however long their lines are.
 */
export class RoundRobin<A extends object> {
  /** By client, in the order of their turns; a line is in the order of arrival. */
  readonly #lines = new Map<string, Set<A>>();
  #length = 0;

  /** Items in all lines. */
  get length(): number {
    return this.#length;
  }

  lengthOf(client: string): number {
    return this.#lines.get(client)?.size ?? 0;
  }

  add(client: string, item: A): void {
    let line = this.#lines.get(client);
    if (line === undefined) {
      line = new Set();
      this.#lines.set(client, line);
    }
    this.#length -= line.size;
    line.add(item);
    this.#length += line.size;
  }

  /** Removes an item; false where it is not in that line. */
  delete(client: string, item: A): boolean {
    const line = this.#lines.get(client);
    if (line?.delete(item) !== true) return false;
    if (line.size === 0) this.#lines.delete(client);
    this.#length--;
    return true;
  }

  /** Removes the next item, and gives it. */
  take(): A | undefined {
    for (const [client, line] of this.#lines) {
      this.#lines.delete(client);
      for (const item of line) {
        line.delete(item);
        this.#length--;
        if (line.size > 0) this.#lines.set(client, line);
        return item;
      }
    }
    return undefined;
  }

  clear(): void {
    this.#lines.clear();
    this.#length = 0;
  }
}

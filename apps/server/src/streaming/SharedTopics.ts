/** Topics, or parts of them, by key, each kept as long as somebody holds it. */
export class SharedTopics<T extends object> {
  readonly #byKey = new Map<string, T>();
  readonly #holders = new Map<object, { readonly key: string; count: number }>();

  get size(): number {
    return this.#byKey.size;
  }

  values(): Iterable<T> {
    return this.#byKey.values();
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The topic of a key, made when nobody holds it yet. */
  acquire(key: string, make: () => T): T {
    let topic = this.#byKey.get(key);
    if (topic === undefined) {
      topic = make();
      this.#byKey.set(key, topic);
      this.#holders.set(topic, { key, count: 0 });
    }
    this.#holders.get(topic)!.count++;
    return topic;
  }

  /** True when nobody holds the topic any more. */
  release(topic: object): boolean {
    const held = this.#holders.get(topic);
    if (held === undefined) throw new Error("nobody holds the topic");
    if (--held.count > 0) return false;
    this.#holders.delete(topic);
    this.#byKey.delete(held.key);
    return true;
  }
}

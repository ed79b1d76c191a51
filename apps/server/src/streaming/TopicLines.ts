import { RoundRobin } from "../limits/RoundRobin.ts";
import type { EvaluatedTopic } from "./EvaluatedTopic.ts";

/** Topics that wait, each once, in the shortest line among those of its clients. */
export class TopicLines {
  readonly #lines = new RoundRobin<EvaluatedTopic>();
  readonly #lineOf = new Map<EvaluatedTopic, string>();

  get length(): number {
    return this.#lines.length;
  }

  add(topic: EvaluatedTopic): void {
    if (this.#lineOf.has(topic)) return;
    let shortest = "";
    let length = Number.POSITIVE_INFINITY;
    for (const client of topic.clients) {
      if (this.#lines.lengthOf(client) >= length) continue;
      shortest = client;
      length = this.#lines.lengthOf(client);
    }
    this.#lineOf.set(topic, shortest);
    this.#lines.add(shortest, topic);
  }

  delete(topic: EvaluatedTopic): void {
    const client = this.#lineOf.get(topic);
    if (client === undefined) return;
    this.#lineOf.delete(topic);
    this.#lines.delete(client, topic);
  }

  take(): EvaluatedTopic | undefined {
    const topic = this.#lines.take();
    if (topic !== undefined) this.#lineOf.delete(topic);
    return topic;
  }

  clear(): void {
    this.#lines.clear();
    this.#lineOf.clear();
  }
}

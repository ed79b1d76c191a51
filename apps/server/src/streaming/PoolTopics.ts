import type { PoolTopic } from "@millrace/api";
import { problemText } from "@millrace/api";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { poolBody } from "../routes/marketViews.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { SharedTopics } from "./SharedTopics.ts";
import type { Head, Topic, TopicRefusal, Topics } from "./Topic.ts";

/** Pools of one network. */
export class PoolTopics implements Topics<PoolTopic> {
  readonly shared = new SharedTopics<StreamedPool>();
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #head: Head;

  constructor(network: Network, market: NetworkMarket, head: Head) {
    this.#network = network;
    this.#market = market;
    this.#head = head;
  }

  acquire({ pool }: PoolTopic): Topic | TopicRefusal {
    const address = pool.toLowerCase();
    const topic = this.shared.acquire(address, () => {
      const made = new StreamedPool(this.#network, this.#market, this.#head, address);
      made.evaluate();
      return made;
    });
    if (topic.isThere) return topic;
    this.shared.release(topic);
    return { code: "UNKNOWN_POOL", detail: `${this.#network.config.id} has no pool ${pool}` };
  }

  release(topic: Topic): void {
    this.shared.release(topic);
  }
}

class StreamedPool extends EvaluatedTopic {
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #address: string;
  #text = "";
  isThere = false;

  constructor(network: Network, market: NetworkMarket, head: Head, address: string) {
    super(head);
    this.#network = network;
    this.#market = market;
    this.#address = address;
  }

  dataSince(): string {
    return this.#text;
  }

  protected revalue(): boolean {
    const { engine, data } = this.#market;
    const index = engine.graph.findPool(this.#address);
    const view = index === undefined ? undefined : data.pool(index);
    this.isThere = view !== undefined;
    const text =
      view === undefined
        ? problemText("UNKNOWN_POOL", `The pool ${this.#address} has left the market`)
        : JSON.stringify(poolBody(this.#network, this.#market, view));
    if (text === this.#text) return false;
    this.#text = text;
    return true;
  }
}

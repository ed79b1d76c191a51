import { isNativeToken, type PriceTopic } from "@millrace/api";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { SharedTopics } from "./SharedTopics.ts";
import { StreamedToken } from "./StreamedToken.ts";
import type { Head, Topic, TopicRefusal, Topics } from "./Topic.ts";

/** Prices of one network. A token is looked up once a block, however many lists have it. */
export class PriceTopics implements Topics<PriceTopic> {
  readonly shared = new SharedTopics<StreamedPrices>();
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #head: Head;
  /** By address, as in messages. */
  readonly #tokens = new SharedTopics<StreamedToken>();

  constructor(network: Network, market: NetworkMarket, head: Head) {
    this.#network = network;
    this.#market = market;
    this.#head = head;
  }

  acquire({ tokens, isList }: PriceTopic): Topic | TopicRefusal {
    const { graph } = this.#market.engine;
    const wrapped = this.#network.config.wrappedNative ?? "";
    const found = tokens.map((token) => ({
      address: token.toLowerCase(),
      index: graph.findToken(isNativeToken(token) ? wrapped : token),
    }));
    const unknown = found.findIndex(({ index }) => index === undefined);
    if (unknown >= 0) {
      const detail = `${this.#network.config.id} has no token ${tokens[unknown]}`;
      return { code: "UNKNOWN_TOKEN", detail };
    }
    const addresses = found.map(({ address }) => address).join();
    return this.shared.acquire(isList ? `[${addresses}]` : addresses, () => {
      const entries = found.map(({ address, index }) =>
        this.#tokens.acquire(address, () => new StreamedToken(this.#market.data, address, index!)),
      );
      const topic = new StreamedPrices(this.#head, entries, isList);
      topic.evaluate();
      return topic;
    });
  }

  release(topic: Topic): void {
    if (!this.shared.release(topic)) return;
    for (const token of (topic as StreamedPrices).tokens) this.#tokens.release(token);
  }
}

class StreamedPrices extends EvaluatedTopic {
  readonly tokens: ReadonlyArray<StreamedToken>;
  readonly #isList: boolean;
  /** Index: as `tokens`. */
  readonly #texts: string[];
  /** Index: as `tokens`. The version that the text came with. */
  readonly #changedAt: number[];
  /** The last text: readers who keep up all get the same. */
  #last = { since: 0, version: 0, text: "" };

  constructor(head: Head, tokens: ReadonlyArray<StreamedToken>, isList: boolean) {
    super(head);
    this.tokens = tokens;
    this.#isList = isList;
    this.#texts = tokens.map(() => "");
    this.#changedAt = tokens.map(() => 0);
  }

  dataSince(since: number): string {
    if (!this.#isList) return this.#texts[0]!;
    const { version } = this;
    if (this.#last.since !== since || this.#last.version !== version) {
      const news = this.#texts.filter((_, at) => this.#changedAt[at]! > since);
      this.#last = { since, version, text: `[${news.join()}]` };
    }
    return this.#last.text;
  }

  protected revalue(): boolean {
    let isNew = false;
    for (const [at, token] of this.tokens.entries()) {
      const text = token.look();
      if (text === this.#texts[at]) continue;
      this.#texts[at] = text;
      this.#changedAt[at] = this.version + 1;
      isNew = true;
    }
    return isNew;
  }
}

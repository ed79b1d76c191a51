import { isNativeToken, type PriceTopic } from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import type { Network } from "../networks/Network.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import { EvaluatedTopic } from "./EvaluatedTopic.ts";
import type { Head, Refusal, Topic, Topics } from "./Topic.ts";
import { TopicBook } from "./TopicBook.ts";

/** Prices of one network. */
export class PriceTopics implements Topics<PriceTopic> {
  readonly book = new TopicBook<StreamedPrices>();
  readonly #network: Network;
  readonly #market: OpenMarket;
  readonly #head: Head;

  constructor(network: Network, market: OpenMarket, head: Head) {
    this.#network = network;
    this.#market = market;
    this.#head = head;
  }

  acquire({ tokens, isList }: PriceTopic): Topic | Refusal {
    const { graph } = this.#market.engine;
    const wrapped = this.#network.config.wrappedNative ?? "";
    const entries: PriceEntry[] = [];
    for (const token of tokens) {
      const index = graph.findToken(isNativeToken(token) ? wrapped : token);
      if (index === undefined) {
        const detail = `${this.#network.config.id} has no token ${token}`;
        return { code: "UNKNOWN_TOKEN", detail };
      }
      entries.push({ index, token: token.toLowerCase(), text: "", changedAt: 0 });
    }
    const addresses = entries.map(({ token }) => token).join();
    return this.book.acquire(isList ? `[${addresses}]` : addresses, () => {
      const topic = new StreamedPrices(this.#market, this.#head, entries, isList);
      topic.evaluate();
      return topic;
    });
  }

  release(topic: Topic): void {
    this.book.release(topic);
  }
}

interface PriceEntry {
  readonly index: TokenIndex;
  /** Lower case, as asked: also the native token. */
  readonly token: string;
  text: string;
  /** The version of the topic that the text came with. */
  changedAt: number;
}

class StreamedPrices extends EvaluatedTopic {
  readonly #market: OpenMarket;
  readonly #entries: ReadonlyArray<PriceEntry>;
  readonly #isList: boolean;

  constructor(market: OpenMarket, head: Head, entries: ReadonlyArray<PriceEntry>, isList: boolean) {
    super(head);
    this.#market = market;
    this.#entries = entries;
    this.#isList = isList;
  }

  dataSince(version: number): string {
    if (!this.#isList) return this.#entries[0]!.text;
    const news = this.#entries.filter(({ changedAt }) => changedAt > version);
    return `[${news.map(({ text }) => text).join()}]`;
  }

  protected revalue(): boolean {
    let isNew = false;
    for (const entry of this.#entries) {
      const { priceUsd, liquidityUsd, volume24hUsd } = this.#market.data.token(entry.index);
      const text =
        `{"token":"${entry.token}","price":${priceUsd},"liquidity":${liquidityUsd}` +
        `,"volume24h":${volume24hUsd}}`;
      if (text === entry.text) continue;
      entry.text = text;
      entry.changedAt = this.version + 1;
      isNew = true;
    }
    return isNew;
  }
}

import { STREAMED_TRADES_MAX, type TradesTopic } from "@millrace/api";
import type { Trade } from "@millrace/market";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { marketTradeBody } from "../routes/marketViews.ts";
import { findTraded, keyOfTraded, type Traded } from "./findTraded.ts";
import { SharedTopics } from "./SharedTopics.ts";
import { StreamedList } from "./StreamedList.ts";
import type { Head, Topic, TopicRefusal, Topics } from "./Topic.ts";

/** Trades of pools and tokens of one network. */
export class TradeTopics implements Topics<TradesTopic> {
  readonly shared = new SharedTopics<StreamedTrades>();
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #head: Head;

  constructor(network: Network, market: NetworkMarket, head: Head) {
    this.#network = network;
    this.#market = market;
    this.#head = head;
  }

  acquire({ subject }: TradesTopic): Topic | TopicRefusal {
    const traded = findTraded(this.#network, this.#market, subject);
    if ("code" in traded) return traded;
    return this.shared.acquire(keyOfTraded(traded), () => {
      const topic = new StreamedTrades(this.#network, this.#market, this.#head, traded);
      topic.evaluate();
      return topic;
    });
  }

  release(topic: Topic): void {
    this.shared.release(topic);
  }
}

/** The newest first. */
class StreamedTrades extends StreamedList<Trade> {
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #traded: Traded;

  constructor(network: Network, market: NetworkMarket, head: Head, traded: Traded) {
    super(head, market.data, STREAMED_TRADES_MAX);
    this.#network = network;
    this.#market = market;
    this.#traded = traded;
  }

  protected look(most: number): ReadonlyArray<Trade> | undefined {
    const { data, engine } = this.#market;
    if ("token" in this.#traded) return data.tokenTrades(this.#traded.token, most);
    const pool = engine.graph.findPool(this.#traded.pool);
    return pool === undefined ? undefined : data.trades(pool, most);
  }

  protected keyOf({ id }: Trade): string {
    return id;
  }

  protected isSame(trade: Trade, other: Trade): boolean {
    return trade.stamp.hash === other.stamp.hash && trade.valueUsd === other.valueUsd;
  }

  protected isAfter({ stamp, logIndex }: Trade, other: Trade): boolean {
    const blocks = stamp.number - other.stamp.number;
    return blocks > 0 || (blocks === 0 && logIndex > other.logIndex);
  }

  protected textOf(trade: Trade): string {
    return JSON.stringify(marketTradeBody(this.#network, this.#market, trade));
  }
}

import { type CandlesTopic, STREAMED_CANDLES_MAX } from "@millrace/api";
import type { Candle } from "@millrace/market";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { candleBody } from "../routes/marketViews.ts";
import { findTraded, keyOfTraded, type Traded } from "./findTraded.ts";
import { SharedTopics } from "./SharedTopics.ts";
import { StreamedList } from "./StreamedList.ts";
import type { Head, Topic, TopicRefusal, Topics } from "./Topic.ts";

type Interval = CandlesTopic["interval"];

/** Candles of pools and tokens of one network. */
export class CandleTopics implements Topics<CandlesTopic> {
  readonly shared = new SharedTopics<StreamedCandles>();
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #head: Head;

  constructor(network: Network, market: NetworkMarket, head: Head) {
    this.#network = network;
    this.#market = market;
    this.#head = head;
  }

  acquire({ subject, interval }: CandlesTopic): Topic | TopicRefusal {
    const traded = findTraded(this.#network, this.#market, subject);
    if ("code" in traded) return traded;
    return this.shared.acquire(`${interval} ${keyOfTraded(traded)}`, () => {
      const topic = new StreamedCandles(this.#market, this.#head, traded, interval);
      topic.evaluate();
      return topic;
    });
  }

  release(topic: Topic): void {
    this.shared.release(topic);
  }
}

/** In ascending order. */
class StreamedCandles extends StreamedList<Candle> {
  readonly #market: NetworkMarket;
  readonly #traded: Traded;
  readonly #interval: Interval;

  constructor(market: NetworkMarket, head: Head, traded: Traded, interval: Interval) {
    super(head, market.data, STREAMED_CANDLES_MAX);
    this.#market = market;
    this.#traded = traded;
    this.#interval = interval;
  }

  protected look(limit: number): ReadonlyArray<Candle> | undefined {
    const { data, engine } = this.#market;
    const range = { limit };
    if ("token" in this.#traded) {
      return data.tokenCandles(this.#traded.token, this.#interval, range);
    }
    const pool = engine.graph.findPool(this.#traded.pool);
    return pool === undefined ? undefined : data.poolCandles(pool, this.#interval, range);
  }

  protected keyOf({ startMs }: Candle): number {
    return startMs;
  }

  protected isSame(candle: Candle, other: Candle): boolean {
    const { open, high, low, close, volumeUsd } = candle;
    return (
      open === other.open &&
      high === other.high &&
      low === other.low &&
      close === other.close &&
      volumeUsd === other.volumeUsd
    );
  }

  protected isAfter({ startMs }: Candle, other: Candle): boolean {
    return startMs > other.startMs;
  }

  protected textOf(candle: Candle): string {
    return JSON.stringify(candleBody(candle));
  }
}

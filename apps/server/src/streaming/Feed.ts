import type { TopicRequest } from "@millrace/api";
import type { AppliedBlock, BlockStamp } from "@millrace/core";
import type { Network } from "../networks/Network.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import { TurnQueue } from "../quote/TurnQueue.ts";
import { BlockTopics } from "./BlockTopics.ts";
import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { PoolTopics } from "./PoolTopics.ts";
import { PriceTopics } from "./PriceTopics.ts";
import { QuoteTopics } from "./QuoteTopics.ts";
import { Round } from "./Round.ts";
import type { Flushable, Publisher, Refusal, Topic, Topics } from "./Topic.ts";

/** Until work that found no place is tried again. */
const RETRY_MS = 50;

/** Between two looks whether the market data of a block is complete. */
const SETTLE_LOOK_MS = 5;

/** Everything that is streamed of one network: follows its blocks and keeps topics up to date. */
export class Feed implements Publisher {
  readonly network: Network;
  readonly quotes: QuoteTopics;
  readonly #market: OpenMarket;
  readonly #head: { stamp: BlockStamp; reorganisations: number };
  readonly #prices: PriceTopics;
  readonly #pools: PoolTopics;
  readonly #blocks: BlockTopics;
  /** What is cheap goes before what is not. */
  readonly #values: Round;
  readonly #works: Round;
  readonly #withNews = new Set<Flushable>();
  readonly #retries = new Set<EvaluatedTopic>();
  readonly #unsubscribe: () => void;
  #flushing: NodeJS.Immediate | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(network: Network, market: OpenMarket, report: (cause: unknown) => void) {
    this.network = network;
    this.#market = market;
    const head = { stamp: market.engine.graph.stamp, reorganisations: 0 };
    this.#head = head;
    this.#values = new Round(this.#flush, report);
    this.#works = new Round(this.#flush, report);
    this.#prices = new PriceTopics(network, market, head);
    this.#pools = new PoolTopics(network, market, head);
    this.#blocks = new BlockTopics(head);
    const desk = { network, market, turns: new TurnQueue(), head, later: this.#later, report };
    this.quotes = new QuoteTopics(desk, (work) => {
      this.#works.remove(work);
      this.#retries.delete(work);
    });
    this.#unsubscribe = market.engine.onApplied((block) => this.#applied(block));
  }

  get reorganisations(): number {
    return this.#head.reorganisations;
  }

  acquire(request: TopicRequest): Topic | Refusal {
    switch (request.channel) {
      case "price":
        return this.#prices.acquire(request);
      case "quote":
        return this.quotes.acquire(request);
      case "pool":
        return this.#pools.acquire(request);
      case "block":
        return this.#blocks.acquire();
    }
  }

  release(channel: TopicRequest["channel"], topic: Topic): void {
    const topics: Record<typeof channel, Topics<never>> = {
      price: this.#prices,
      quote: this.quotes,
      pool: this.#pools,
      block: this.#blocks,
    };
    topics[channel].release(topic);
  }

  /** Will be flushed with what else there is to tell, at the end of this slice of work. */
  hasNews(reader: Flushable): void {
    this.#withNews.add(reader);
    // What worker threads answered comes outside of any slice.
    this.#flushing ??= setImmediate(this.#flush);
  }

  close(): void {
    this.#unsubscribe();
    clearImmediate(this.#flushing);
    clearTimeout(this.#retrying);
    clearTimeout(this.#settling);
    this.#values.stop();
    this.#works.stop();
  }

  #applied(applied: AppliedBlock): void {
    const { stamp, block, changedPools, topologyChanged } = applied;
    const isNew = stamp.hash !== this.#head.stamp.hash;
    this.#revalueWhenSettled();
    // Some only tell what happened in the past.
    if (!isNew && changedPools.length === 0 && !topologyChanged) return;
    this.#head.stamp = stamp;
    if ((block.orphaned?.length ?? 0) > 0) this.#head.reorganisations++;
    this.#blocks.topic.poolsChanged = new Set(changedPools).size;
    this.#values.add(this.#blocks.topic);
    for (const work of this.quotes.touchedBy(applied)) this.#works.add(work);
    this.#revalue();
    this.#works.run();
  }

  /** Of a large market, liquidity and volumes are worked out some time after the block. */
  #revalueWhenSettled(): void {
    const { data, engine } = this.#market;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    if (data.hasAllTrades() && data.settledBlock() === engine.graph.stamp.number) return;
    const look = (): void => {
      const isSettled = data.hasAllTrades() && data.settledBlock() === engine.graph.stamp.number;
      this.#settling = isSettled ? undefined : setTimeout(look, SETTLE_LOOK_MS);
      if (isSettled) this.#revalue();
    };
    this.#settling = setTimeout(look, SETTLE_LOOK_MS);
  }

  #revalue(): void {
    for (const topic of this.#prices.book.values()) this.#values.add(topic);
    for (const topic of this.#pools.book.values()) this.#values.add(topic);
    this.#values.run();
  }

  readonly #flush = (): void => {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const readers = [...this.#withNews];
    this.#withNews.clear();
    for (const reader of readers) reader.flush();
  };

  readonly #later = (work: EvaluatedTopic): void => {
    work.isPending = true;
    this.#retries.add(work);
    this.#retrying ??= setTimeout(() => {
      this.#retrying = undefined;
      for (const retried of this.#retries) this.#works.add(retried);
      this.#retries.clear();
      this.#works.run();
    }, RETRY_MS);
  };
}

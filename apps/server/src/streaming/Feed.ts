import type { TopicRequest } from "@millrace/api";
import type { AppliedBlock } from "@millrace/core";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { TurnQueue } from "../quote/TurnQueue.ts";
import { BlockTopics } from "./BlockTopics.ts";
import { CandleTopics } from "./CandleTopics.ts";
import type { EvaluatedTopic } from "./EvaluatedTopic.ts";
import { EvaluationQueue } from "./EvaluationQueue.ts";
import { EvaluationSlots } from "./EvaluationSlots.ts";
import { Flushing } from "./Flushing.ts";
import { NetworkTopics } from "./NetworkTopics.ts";
import { PoolTopics } from "./PoolTopics.ts";
import { PriceTopics } from "./PriceTopics.ts";
import { QuoteTopics } from "./QuoteTopics.ts";
import { Retries } from "./Retries.ts";
import type { Flushable, HeadPosition, Publisher, Topic, TopicRefusal, Topics } from "./Topic.ts";
import { TradeTopics } from "./TradeTopics.ts";

/** Delay until work that was refused as too much is tried again. */
const RETRY_MS = 50;
/**
 * Delay until work that nobody paid for, or no node answered, is tried again, unless a block comes.
 */
const UNPAID_MS = 1_000;
/** Length of a slice of evaluations. */
const SLICE_MS = 2;
/** Length of a slice while requests wait: about half of the event loop is theirs. */
const SHARED_SLICE_MS = 1;
/** Interval of looks whether the market data of a block is complete. */
const SETTLE_LOOK_MS = 5;
/** Of the 64 that may wait for worker threads, or for their turn: the rest is left to requests. */
const HEAVY_AT_ONCE = 16;

export interface FeedHost {
  readonly report: (cause: unknown) => void;
  /** Whether requests wait for the event loop. */
  readonly hasRequests: () => boolean;
  /** Takes a cost out of a client's budget, by its name; false when it has too little. */
  readonly pays: (client: string, cost: number) => boolean;
  /**
   * Called once everything of a block is published, with the time since it was applied. Liquidity
   * and volumes that are settled later do not count.
   */
  readonly published: (durationMs: number) => void;
}

/** All streams of one network: follows its blocks and keeps topics up to date. */
export class Feed implements Publisher {
  readonly quotes: QuoteTopics;
  readonly #market: NetworkMarket;
  readonly #host: FeedHost;
  readonly #head: { position: HeadPosition };
  readonly #prices: PriceTopics;
  readonly #pools: PoolTopics;
  readonly #trades: TradeTopics;
  readonly #candles: CandleTopics;
  readonly #blocks: BlockTopics;
  readonly #networks: NetworkTopics;
  /** Cheap values go before expensive work. */
  readonly #values: EvaluationQueue;
  readonly #works: EvaluationQueue;
  readonly #flushing: Flushing;
  readonly #slots = new EvaluationSlots(HEAVY_AT_ONCE);
  readonly #retries = new Retries(RETRY_MS, (works) => this.#again(works));
  readonly #unpaid = new Retries(UNPAID_MS, (works) => this.#again(works));
  readonly #unsubscribe: () => void;
  #settling: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Version of the market data from which the values were computed. */
  #dataVersion: number;
  /** When the first block that is not completely published was applied. */
  #appliedMs: number | undefined;

  constructor(network: Network, market: NetworkMarket, host: FeedHost) {
    this.#market = market;
    this.#host = host;
    const head = { position: { stamp: market.engine.graph.stamp, reorganisations: 0 } };
    this.#head = head;
    this.#dataVersion = market.data.version();
    this.#flushing = new Flushing(host.report, this.#reportDuration);
    const queue = () =>
      new EvaluationQueue(
        () => (host.hasRequests() ? SHARED_SLICE_MS : SLICE_MS),
        this.#flushing.run,
        host.report,
      );
    this.#values = queue();
    this.#works = queue();
    this.#prices = new PriceTopics(network, market, head);
    this.#pools = new PoolTopics(network, market, head);
    this.#trades = new TradeTopics(network, market, head);
    this.#candles = new CandleTopics(network, market, head);
    this.#blocks = new BlockTopics(head);
    this.#networks = new NetworkTopics(network, head, this.#lookAtReadiness);
    const turns = new TurnQueue();
    const { report, pays } = host;
    const { add: later } = this.#retries;
    const { add: owe } = this.#unpaid;
    const asking = { slots: this.#slots, again: this.#again, later, owe, report, pays };
    this.quotes = new QuoteTopics({ network, market, turns, head, ...asking }, (work) => {
      this.#works.remove(work);
      this.#slots.remove(work);
      this.#retries.delete(work);
      this.#unpaid.delete(work);
    });
    this.#unsubscribe = market.engine.onPart((applied) => {
      try {
        this.#applied(applied);
      } catch (cause) {
        // A failure of the streams must not stop the market.
        host.report(cause);
      }
    });
  }

  acquire(request: TopicRequest, client: string): Topic | TopicRefusal {
    switch (request.channel) {
      case "price":
        return this.#prices.acquire(request);
      case "quote":
        return this.quotes.acquire(request, client);
      case "pool":
        return this.#pools.acquire(request);
      case "block":
        return this.#blocks.acquire();
      case "trades":
        return this.#trades.acquire(request);
      case "candles":
        return this.#candles.acquire(request);
      case "networks":
        return this.#networks.acquire();
    }
  }

  release(channel: TopicRequest["channel"], topic: Topic, client: string): void {
    const topics: Record<typeof channel, Topics<never>> = {
      price: this.#prices,
      quote: this.quotes,
      pool: this.#pools,
      block: this.#blocks,
      trades: this.#trades,
      candles: this.#candles,
      networks: this.#networks,
    };
    topics[channel].release(topic, client);
  }

  hasNews(reader: Flushable): void {
    this.#flushing.add(reader);
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#retries.stop();
    this.#unpaid.stop();
    clearTimeout(this.#settling);
    this.#networks.close();
    this.#values.stop();
    this.#works.stop();
    this.#flushing.stop();
    this.quotes.close();
  }

  #applied(applied: AppliedBlock): void {
    this.#flushing.finish();
    const { stamp, block, changedPools, topologyChanged } = applied;
    const before = this.#head.position;
    // Recorded blocks have no hashes.
    const isNew = stamp.hash !== before.stamp.hash || stamp.number !== before.stamp.number;
    // Some blocks only bring the past.
    if (isNew || changedPools.length > 0 || topologyChanged) {
      this.#appliedMs ??= performance.now();
      const isReorganised = (block.orphaned?.length ?? 0) > 0;
      const reorganisations = before.reorganisations + (isReorganised ? 1 : 0);
      this.#head.position = { stamp, reorganisations };
      if (isNew) this.#blocks.topic.poolsChanged = new Set(changedPools).size;
      // At once: no block may be skipped because another follows.
      this.#blocks.topic.evaluate();
      this.#networks.evaluate();
      for (const work of this.quotes.touchedBy(applied)) {
        work.invalidate(before);
        this.#works.add(work);
      }
    }
    this.#revalue(before);
    this.#revalueWhenSettled();
    this.#works.run();
    // Another block may follow within this turn: readers that keep up get each.
    this.#flushing.run();
  }

  /** In a large market, liquidity and volumes are computed some time after the block. */
  #revalueWhenSettled(): void {
    clearTimeout(this.#settling);
    const look = (): void => {
      const { data, engine } = this.#market;
      const { number, hash } = engine.graph.stamp;
      // Both: recorded blocks have no hashes, and after a reorganisation numbers come again.
      const isOfNewest = data.settledBlock() === number && data.settledHash() === hash;
      const isSettled = isOfNewest && data.hasAllTrades();
      this.#settling = isSettled ? undefined : setTimeout(look, SETTLE_LOOK_MS);
      if (isSettled) this.#revalue(this.#head.position);
    };
    look();
  }

  /** What came after a position may have changed all market data. */
  #revalue(before: HeadPosition): void {
    const dataVersion = this.#market.data.version();
    if (dataVersion === this.#dataVersion) return;
    this.#dataVersion = dataVersion;
    this.#flushing.finish();
    for (const { shared } of [this.#prices, this.#pools, this.#trades, this.#candles]) {
      for (const topic of shared.values()) {
        topic.invalidate(before);
        this.#values.add(topic);
      }
    }
    this.#values.run();
  }

  readonly #lookAtReadiness = (): void => {
    try {
      this.#flushing.finish();
      this.#networks.evaluate();
    } catch (cause) {
      this.#host.report(cause);
    }
  };

  readonly #reportDuration = (): void => {
    const appliedMs = this.#appliedMs;
    const isUnderWay = this.#values.length + this.#works.length + this.#slots.taken > 0;
    if (appliedMs === undefined || isUnderWay) return;
    this.#appliedMs = undefined;
    this.#host.published(performance.now() - appliedMs);
  };

  readonly #again = (works: ReadonlyArray<EvaluatedTopic>): void => {
    // Running evaluations end after all else.
    if (this.#isClosed) return;
    this.#flushing.finish();
    for (const work of works) this.#works.add(work);
    this.#works.runLater();
  };
}

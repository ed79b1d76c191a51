import type { QuoteRequest, QuoteTopic } from "@millrace/api";
import type { AppliedBlock, BlockStamp } from "@millrace/core";
import { RouteRelevance } from "@millrace/core";
import { graphAddress, type QuoteDesk, QuoteWork } from "./QuoteWork.ts";
import { isWorthTelling, type QuoteValue, quoteText } from "./quoteValue.ts";
import type { Refusal, Topic, Topics } from "./Topic.ts";
import { TopicBook } from "./TopicBook.ts";

/** Distinct quotes of one network that are kept up to date; what is more is refused. */
const WORKS_MAX = 20_000;

/**
 * Quotes of one network. Equal requests are worked out once, also where they are told at other
 * thresholds.
 */
export class QuoteTopics implements Topics<QuoteTopic> {
  readonly #desk: QuoteDesk;
  readonly #works = new TopicBook<QuoteWork>();
  readonly #told = new TopicBook<StreamedQuote>();
  readonly #forget: (work: QuoteWork) => void;
  #thresholdCount = 0;

  /** `forget` is told of work that nobody wants any more. */
  constructor(desk: QuoteDesk, forget: (work: QuoteWork) => void) {
    this.#desk = desk;
    this.#forget = forget;
  }

  /** Works that are kept up to date. */
  get size(): number {
    return this.#works.size;
  }

  acquire({ request, amounts, minChangeBps }: QuoteTopic): Topic | Refusal {
    const requests = amounts?.map((amountIn) => ({ ...request, amountIn })) ?? [request];
    const key = keyOf(requests, amounts !== undefined);
    if (this.#works.size >= WORKS_MAX) {
      return { code: "RATE_LIMITED", detail: `More than ${WORKS_MAX} quotes are streamed already` };
    }
    // Who joins is told the value as it is, and that is told apart by what each was told before.
    const threshold = minChangeBps === 0 ? "" : `${minChangeBps} ${this.#thresholdCount++}`;
    const topic = this.#told.acquire(`${key} ${threshold}`, () => {
      const work = this.#works.acquire(key, () => {
        const made = new QuoteWork(this.#desk, requests);
        made.evaluate();
        return made;
      });
      return new StreamedQuote(work, amounts !== undefined, minChangeBps);
    });
    const wrong = topic.work.answers.find(({ body }) => UNANSWERABLE.test(body));
    if (wrong === undefined) return topic;
    this.release(topic);
    const { code, detail } = JSON.parse(wrong.body) as Refusal;
    return { code, detail };
  }

  release(topic: Topic): void {
    if (!this.#told.release(topic)) return;
    const { work } = topic as StreamedQuote;
    (topic as StreamedQuote).close();
    if (!this.#works.release(work)) return;
    work.stop();
    this.#forget(work);
  }

  /** Works whose answer may be another after a block. */
  *touchedBy({ changedPools, topologyChanged }: AppliedBlock): Iterable<QuoteWork> {
    const { graph } = this.#desk.market.engine;
    const relevance = topologyChanged ? undefined : new RouteRelevance(graph, changedPools);
    const tokens = new Map<string, number | undefined>();
    const findToken = (address: string): number | undefined => {
      if (tokens.has(address)) return tokens.get(address);
      const found = graph.findToken(graphAddress(this.#desk.network, address));
      tokens.set(address, found);
      return found;
    };
    for (const work of this.#works.values()) {
      if (relevance === undefined || work.mayChange(relevance, findToken)) yield work;
    }
  }
}

/** A problem of the request itself, which no block takes away. */
const UNANSWERABLE = /"code":"UNKNOWN_(TOKEN|DEX|POOL)"/;

/** The answers to a request as subscribers at one threshold are told them. */
class StreamedQuote implements Topic {
  version = 0;
  readonly work: QuoteWork;
  readonly #isLadder: boolean;
  readonly #minChangeBps: number;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #told: ReadonlyArray<QuoteValue> = [];
  #toldStamp: BlockStamp;

  constructor(work: QuoteWork, isLadder: boolean, minChangeBps: number) {
    this.work = work;
    this.#isLadder = isLadder;
    this.#minChangeBps = minChangeBps;
    this.#toldStamp = work.stamp;
    this.#take();
    this.#unsubscribe = work.onChange(() => this.#take());
  }

  get stamp(): BlockStamp {
    return this.#told === this.work.values ? this.work.stamp : this.#toldStamp;
  }

  dataSince(): string {
    const texts = this.#told.map((value) => quoteText(value, this.stamp));
    return this.#isLadder ? `{"quotes":[${texts.join()}]}` : texts[0]!;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#unsubscribe();
  }

  #take(): void {
    const { values } = this.work;
    if (values.length === 0) return;
    const isNews =
      this.#told.length === 0 ||
      values.some((value, at) => isWorthTelling(this.#told[at]!, value, this.#minChangeBps));
    if (!isNews) return;
    this.#told = values;
    this.#toldStamp = this.work.stamp;
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}

/** Equal for requests that are answered alike: but for the case of addresses, which comes back. */
function keyOf(requests: ReadonlyArray<QuoteRequest>, isLadder: boolean): string {
  const { amountIn: _, ...shared } = requests[0]!;
  const amounts = requests.map(({ amountIn }) => amountIn);
  const sorted = Object.entries(shared).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([isLadder, amounts, sorted]);
}

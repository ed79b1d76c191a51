import type { QuoteRequestJson, QuoteTopic } from "@millrace/api";
import type { AppliedBlock } from "@millrace/core";
import { RouteRelevance } from "@millrace/core";
import type { Answer } from "../answers/Answer.ts";
import { resolveQuote } from "../quote/resolveQuote.ts";
import { type QuoteContext, QuoteWork } from "./QuoteWork.ts";
import { problemOf } from "./quoteValue.ts";
import { SharedTopics } from "./SharedTopics.ts";
import { StreamedQuote } from "./StreamedQuote.ts";
import type { Topic, TopicRefusal, Topics } from "./Topic.ts";

/** Distinct quotes of one network that are kept up to date; more are refused. */
const QUOTES_MAX = 20_000;
/** The same limit for one client. */
const QUOTES_OF_CLIENT_MAX = 2_000;

/** Quotes of one network. Equal requests are computed once, even where their thresholds differ. */
export class QuoteTopics implements Topics<QuoteTopic> {
  readonly #context: QuoteContext;
  readonly #works = new SharedTopics<QuoteWork>();
  readonly #streamed = new SharedTopics<StreamedQuote>();
  readonly #forget: (work: QuoteWork) => void;
  #quoteCount = 0;
  /** Sizes that each client subscribes to. */
  readonly #quotesOf = new Map<string, number>();
  #thresholdCount = 0;
  // The versions at the last search for touched works.
  #topologyVersion: number;
  #verdictsVersion: number;

  /** `forget` gets work that nobody wants any more. */
  constructor(context: QuoteContext, forget: (work: QuoteWork) => void) {
    this.#context = context;
    this.#forget = forget;
    this.#topologyVersion = context.market.engine.graph.topologyVersion;
    this.#verdictsVersion = context.market.verdicts?.version() ?? 0;
  }

  /** Distinct quotes that are kept up to date. */
  get size(): number {
    return this.#quoteCount;
  }

  acquire({ request, amounts, minChangeBps }: QuoteTopic, client: string): Topic | TopicRefusal {
    const requests = amounts?.map((amountIn) => ({ ...request, amountIn })) ?? [request];
    if ((this.#quotesOf.get(client) ?? 0) + requests.length > QUOTES_OF_CLIENT_MAX) {
      const detail = `At most ${QUOTES_OF_CLIENT_MAX} quotes of a network are streamed to a client`;
      return { code: "RATE_LIMITED", detail };
    }
    const key = keyOf(requests, amounts !== undefined);
    if (!this.#works.has(key) && this.#quoteCount + requests.length > QUOTES_MAX) {
      return { code: "RATE_LIMITED", detail: `${QUOTES_MAX} quotes are streamed already` };
    }
    const unresolved = this.#refusalOf(requests[0]!);
    if (unresolved !== undefined) return unresolved;
    // A new subscriber gets the current value. What is news to each depends on what it got before.
    const threshold = minChangeBps === 0 ? "" : `${minChangeBps} ${this.#thresholdCount++}`;
    const topic = this.#streamed.acquire(`${key} ${threshold}`, () => {
      const work = this.#works.acquire(key, () => this.#open(requests, client));
      return new StreamedQuote(work, amounts !== undefined, minChangeBps);
    });
    this.#count(topic.work, client, 1);
    const problems = topic.work.values.map((value) => problemOf(value) ?? "");
    const wrong = problems.find((problem) => UNANSWERABLE.test(problem));
    if (wrong === undefined) return topic;
    this.release(topic, client);
    return JSON.parse(wrong) as TopicRefusal;
  }

  release(topic: Topic, client: string): void {
    const { work } = topic as StreamedQuote;
    this.#count(work, client, -1);
    if (!this.#streamed.release(topic)) return;
    (topic as StreamedQuote).close();
    if (!this.#works.release(work)) return;
    this.#quoteCount -= work.size;
    work.stop();
    this.#forget(work);
  }

  /** Works whose answer may change with a block. */
  *touchedBy({ changedPools }: Pick<AppliedBlock, "changedPools">): Iterable<QuoteWork> {
    const { engine, verdicts } = this.#context.market;
    const { topologyVersion } = engine.graph;
    const verdictsVersion = verdicts?.version() ?? 0;
    // Tokens can be excluded from the middle of routes, or found plain, without a block, too.
    const mayBeAny =
      topologyVersion !== this.#topologyVersion || verdictsVersion !== this.#verdictsVersion;
    this.#topologyVersion = topologyVersion;
    this.#verdictsVersion = verdictsVersion;
    if (this.#works.size === 0) return;
    const relevance = mayBeAny ? undefined : new RouteRelevance(engine.graph, changedPools);
    for (const work of this.#works.values()) {
      if (relevance === undefined || work.mayChange(relevance)) yield work;
    }
  }

  close(): void {
    for (const work of this.#works.values()) work.stop();
  }

  #count(work: QuoteWork, client: string, change: 1 | -1): void {
    work.count(client, change);
    const count = (this.#quotesOf.get(client) ?? 0) + change * work.size;
    if (count === 0) this.#quotesOf.delete(client);
    else this.#quotesOf.set(client, count);
  }

  #open(requests: ReadonlyArray<QuoteRequestJson>, client: string): QuoteWork {
    const work = new QuoteWork(this.#context, requests);
    // The client for whom the work is evaluated.
    work.count(client, 1);
    work.evaluate();
    if (work.isUnfinished) this.#context.again([work]);
    work.count(client, -1);
    this.#quoteCount += requests.length;
    return work;
  }

  /** Refuses slow requests, too, before anything waits for them. */
  #refusalOf(request: QuoteRequestJson): TopicRefusal | undefined {
    const { network, market } = this.#context;
    const resolved: object | Answer = resolveQuote(network, market, request);
    if (!("body" in resolved) || !UNANSWERABLE.test(resolved.body)) return undefined;
    return JSON.parse(resolved.body) as TopicRefusal;
  }
}

/** A problem of the request itself, which no block resolves. A client's own text is escaped. */
const UNANSWERABLE = /"code":"(UNKNOWN_TOKEN|UNKNOWN_DEX|UNKNOWN_POOL|INVALID_REQUEST)"/;

/** Equal for requests with equal answers. The case of addresses counts, since answers repeat it. */
function keyOf(requests: ReadonlyArray<QuoteRequestJson>, isLadder: boolean): string {
  const { amountIn: _, ...shared } = requests[0]!;
  const amounts = requests.map(({ amountIn }) => amountIn);
  const said = Object.entries(shared).filter(([, value]) => !isNothing(value));
  said.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([isLadder, amounts, said]);
}

/** Options that equal missing ones. */
const isNothing = (value: unknown): boolean =>
  value === false || (Array.isArray(value) && value.length === 0);

import type {
  CandlesTopic,
  QuoteLadder,
  QuoteRequestJson,
  StreamedBlock,
  StreamedNetwork,
  StreamedPrice,
  SwapQuote,
  TradedSubject,
} from "@millrace/api";
import { Effect } from "effect";
import {
  type CandlesOrProblem,
  isBlock,
  isCandlesOrProblem,
  isLadder,
  isNetworkState,
  isPoolOrProblem,
  isPrice,
  isPrices,
  isProblem,
  isQuoteOrProblem,
  isTradesOrProblem,
  type PoolOrProblem,
  type QuoteOrProblem,
  type TradesOrProblem,
} from "./channels.ts";
import { type HttpEndpoints, httpClient } from "./httpClient.ts";
import { joinCandles, joinPrices, joinTrades } from "./joinLists.ts";
import { NewestUpdates, type SubscriptionTopic } from "./NewestUpdates.ts";
import {
  type ConnectionOptions,
  type ConnectionState,
  type StateListener,
  StreamConnection,
} from "./StreamConnection.ts";
import { Updates } from "./Updates.ts";

export interface ClientOptions extends ConnectionOptions {
  /**
   * Sent as `Authorization: Bearer`, never in a URL. A browser sends no headers with a WebSocket:
   * there streams go without the key, and count for the page's address; and whoever reads the page
   * can read the key.
   */
  readonly apiKey?: string;
}

/** A quote request, as the body of POST /quote; what is left out is as usual. */
export type QuoteParameters = typeof QuoteRequestJson.Encoded;

/** Sizes stand for the amounts. */
export type LadderParameters = Omit<QuoteParameters, "amountIn" | "amountOut">;

/** Until a quote that is asked for has to be there. */
const QUOTE_TIMEOUT = "10 seconds";

/**
 * A client of the service at a base URL: HTTP and WebSocket in one. It connects with the first
 * subscription; when the connection is lost it comes back by itself and subscribes again. Readings
 * end with `close`.
 *
 * @example
 * const client = new Client("http://127.0.0.1:8080")
 * for await (const { data } of client.price("ETH", token)) console.log(data.price)
 */
export class Client {
  /** Every endpoint of the HTTP interface, derived from its definition. */
  readonly http: HttpEndpoints;
  readonly #connection: StreamConnection;
  /** Readings of quotes, by network and request. */
  readonly #quoteReadings = new Map<string, Set<NewestUpdates<QuoteOrProblem>>>();

  /** Throws a TypeError where the URL is none of http or https. */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    const { apiKey, ...connection } = options;
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const base = new URL(baseUrl);
    if (base.protocol !== "http:" && base.protocol !== "https:") {
      throw new TypeError(`not a URL of http or https: ${base.protocol}//…`);
    }
    this.http = httpClient(base, headers);
    const stream = new URL(`${base.pathname.replace(/\/$/, "")}/ws`, base);
    stream.protocol = base.protocol.replace("http", "ws");
    this.#connection = new StreamConnection(stream.href, headers, connection);
  }

  /** A token's price, whenever a block changes it. */
  price(network: string, token: string): Updates<StreamedPrice> {
    return this.#updates({ request: { channel: "price", network, token }, isData: isPrice });
  }

  /**
   * Prices of up to 100 tokens: all of them first, then those that changed since the update before.
   * After a lost connection all of them again.
   */
  prices(network: string, tokens: ReadonlyArray<string>): Updates<ReadonlyArray<StreamedPrice>> {
    const request = { channel: "price", network, tokens };
    return this.#updates({ request, isData: isPrices, join: joinPrices });
  }

  /** The answer to a quote request, whenever a block changes it, or by so many basis points. */
  quotes(network: string, request: QuoteParameters, minChangeBps = 0): Updates<QuoteOrProblem> {
    const topic: SubscriptionTopic<QuoteOrProblem> = {
      request: { channel: "quote", network, ...request, minChangeBps },
      isData: isQuoteOrProblem,
    };
    // What comes at a threshold is not always the newest.
    if (minChangeBps > 0) return this.#updates(topic);
    return new Updates(() => this.#readQuotes(topic, keyOf(network, request)));
  }

  /** The answers to up to 16 sizes at once, in their order, whenever a block changes any. */
  ladder(
    network: string,
    request: LadderParameters,
    amounts: ReadonlyArray<string>,
    minChangeBps = 0,
  ): Updates<QuoteLadder> {
    return this.#updates({
      request: { channel: "quote", network, ...request, amounts, minChangeBps },
      isData: isLadder,
    });
  }

  /** A pool, whenever a block changes it; a problem once it has left the market. */
  pool(network: string, pool: string): Updates<PoolOrProblem> {
    return this.#updates({ request: { channel: "pool", network, pool }, isData: isPoolOrProblem });
  }

  /** Every block; where a reader is slow, the newest. */
  blocks(network: string): Updates<StreamedBlock> {
    return this.#updates({ request: { channel: "block", network }, isData: isBlock });
  }

  /**
   * Trades of a pool or a token: the newest 50 first, then those that were added since the update
   * before, up to 50, always the newest first. Where `reorg` is not false they are the newest 50
   * once more, and all that came before is void. A problem once the pool has left the market.
   */
  trades(network: string, of: TradedSubject): Updates<TradesOrProblem> {
    const request = { channel: "trades", network, ...of };
    return this.#updates({ request, isData: isTradesOrProblem, join: joinTrades });
  }

  /**
   * Candles of a pool or a token, of an hour where nothing is said: the last two first, in
   * ascending order, then those of them that changed since the update before. Where `reorg` is not
   * false they are the last two once more. A problem once the pool has left the market.
   */
  candles(
    network: string,
    of: TradedSubject,
    interval: CandlesTopic["interval"] = "1h",
  ): Updates<CandlesOrProblem> {
    const request = { channel: "candles", network, ...of, interval };
    return this.#updates({ request, isData: isCandlesOrProblem, join: joinCandles });
  }

  /** A network's newest block, and whether the network answers, whenever either changes. */
  networkState(network: string): Updates<StreamedNetwork> {
    return this.#updates({ request: { channel: "networks", network }, isData: isNetworkState });
  }

  /**
   * The best route now: what a reading of `quotes` got last for the same request, if there is
   * one and the server has lately shown that it is there; else asked over HTTP. It was true first
   * in the block that it names. Rejects with the problem where there is no quote.
   */
  async quote(network: string, request: QuoteParameters): Promise<SwapQuote> {
    const streamed = this.#streamedQuote(keyOf(network, request));
    if (streamed !== undefined && !isProblem(streamed)) return streamed;
    const payload = withDefaults(request);
    return this.http.swap
      .quote({ params: { network }, payload })
      .pipe(Effect.timeout(QUOTE_TIMEOUT), Effect.runPromise);
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** Calls back with every change of the connection's state; gives the unsubscriber. */
  onState(listener: StateListener): () => void {
    return this.#connection.onState(listener);
  }

  /** Ends the connection, and all readings of streams, for good. */
  close(): void {
    this.#connection.close();
  }

  #updates<A>(topic: SubscriptionTopic<A>): Updates<A> {
    return new Updates(() => new NewestUpdates(this.#connection, topic));
  }

  #readQuotes(
    topic: SubscriptionTopic<QuoteOrProblem>,
    key: string,
  ): NewestUpdates<QuoteOrProblem> {
    const reading = new NewestUpdates(this.#connection, topic, {
      began: () => {
        const others = this.#quoteReadings.get(key);
        if (others === undefined) this.#quoteReadings.set(key, new Set([reading]));
        else others.add(reading);
      },
      ended: () => {
        const readings = this.#quoteReadings.get(key);
        readings?.delete(reading);
        if (readings?.size === 0) this.#quoteReadings.delete(key);
      },
    });
    return reading;
  }

  #streamedQuote(key: string): QuoteOrProblem | undefined {
    if (!this.#connection.isFresh) return undefined;
    for (const { newest } of this.#quoteReadings.get(key) ?? []) {
      if (newest !== undefined) return newest;
    }
    return undefined;
  }
}

/** As the server fills them in. */
const withDefaults = (request: QuoteParameters) => {
  const { dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest } = request;
  return { ...rest, dexId, maxHops, maxSplits };
};

const keyOf = (network: string, request: QuoteParameters): string => {
  const entries = Object.entries(withDefaults(request)).filter(([, value]) => value !== undefined);
  return JSON.stringify([network, entries.sort(([one], [other]) => (one < other ? -1 : 1))]);
};

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
   * its streams go without the key and count for the page's address. Whoever can read the page can
   * read the key.
   */
  readonly apiKey?: string;
}

/** A quote request, as the body of POST /quote. Fields left out get the server's defaults. */
export type QuoteParameters = typeof QuoteRequestJson.Encoded;

/** A quote request without its amounts: a ladder's sizes take their place. */
export type LadderParameters = Omit<QuoteParameters, "amountIn" | "amountOut">;

/** How long `quote` waits for the answer over HTTP. */
const QUOTE_TIMEOUT = "10 seconds";

/**
 * A client of the service at a base URL, for HTTP and WebSocket. It connects with the first
 * subscription. When the connection is lost, it reconnects and subscribes again. `close` ends all
 * readings.
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

  /** Throws a TypeError where the URL is neither http nor https. */
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
   * After a lost connection, all of them again.
   */
  prices(network: string, tokens: ReadonlyArray<string>): Updates<ReadonlyArray<StreamedPrice>> {
    const request = { channel: "price", network, tokens };
    return this.#updates({ request, isData: isPrices, join: joinPrices });
  }

  /**
   * The answer to a quote request, whenever a block changes it; with `minChangeBps`, whenever it
   * changes by so many basis points.
   */
  quotes(network: string, request: QuoteParameters, minChangeBps = 0): Updates<QuoteOrProblem> {
    const topic: SubscriptionTopic<QuoteOrProblem> = {
      request: { channel: "quote", network, ...request, minChangeBps },
      isData: isQuoteOrProblem,
    };
    // With a threshold, the last answer received need not be the newest.
    if (minChangeBps > 0) return this.#updates(topic);
    return new Updates(() => this.#readQuotes(topic, keyOf(network, request)));
  }

  /**
   * The answers to up to 16 sizes at once, in the order given, whenever a block changes any of
   * them.
   */
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
   * Trades of a pool or a token: the newest 50 first, then those added since the update before, up
   * to 50, always the newest first. Where `reorg` is not false, or `missed` is "unknown", the
   * update is the newest 50 once more and replaces all before. A problem once the pool has left the
   * market.
   */
  trades(network: string, of: TradedSubject): Updates<TradesOrProblem> {
    const request = { channel: "trades", network, ...of };
    return this.#updates({ request, isData: isTradesOrProblem, join: joinTrades });
  }

  /**
   * Candles of a pool or a token, of one hour by default: the last two first, in ascending order,
   * then those of them that changed since the update before. Where `reorg` is not false, or
   * `missed` is "unknown", the update is the last two once more. A problem once the pool has left
   * the market.
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
   * The best route now. If a reading of `quotes` is open for the same request and the server has
   * lately shown that it is there, this is its last quote; otherwise the client asks over HTTP. The
   * quote holds from the block that it names. Rejects with the problem where there is no quote.
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

  /**
   * Calls back with every change of the connection's state; returns a function that unsubscribes.
   */
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

/** The request with the server's defaults filled in. */
const withDefaults = (request: QuoteParameters) => {
  const { dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest } = request;
  return { ...rest, dexId, maxHops, maxSplits };
};

const keyOf = (network: string, request: QuoteParameters): string => {
  const entries = Object.entries(withDefaults(request)).filter(([, value]) => value !== undefined);
  return JSON.stringify([network, entries.sort(([one], [other]) => (one < other ? -1 : 1))]);
};

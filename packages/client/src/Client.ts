import {
  Api,
  type Pool,
  type QuoteLadder,
  type QuoteRequest,
  type StreamedBlock,
  type StreamedPrice,
  type StreamedProblem,
  type SwapQuote,
} from "@millrace/api";
import { Effect } from "effect";
import { FetchHttpClient } from "effect/http";
import { HttpApiClient } from "effect/http-api";
import {
  type ConnectionOptions,
  type ConnectionState,
  type StateMessage,
  StreamConnection,
} from "./StreamConnection.ts";
import { Updates } from "./Updates.ts";

/** A quote request, as the body of POST /quote; what is left out is as usual. */
export type QuoteParameters = typeof QuoteRequest.Encoded;

/** A quote, or what stands in its way now. */
export type QuoteOrProblem = SwapQuote | typeof StreamedProblem.Type;

/**
 * A client of the service at a base URL: HTTP and WebSocket in one. It connects with the first
 * subscription; when the connection is lost it comes back by itself and subscribes again.
 *
 * @example
 * const client = new Client("http://127.0.0.1:8080")
 * for await (const { data } of client.price("ETH", token)) console.log(data.price)
 */
export class Client {
  /** Every endpoint of the HTTP interface, derived from its definition, as Effects. */
  readonly http: Effect.Effect<HttpClientOf>;
  readonly #connection: StreamConnection;
  /** Answers to quotes that are streamed now. Key: network and request. */
  readonly #newest = new Map<string, { readonly answer: QuoteOrProblem; readonly by: object }>();

  constructor(baseUrl: string, options: ConnectionOptions = {}) {
    const base = new URL(baseUrl);
    const stream = new URL("/ws", base);
    stream.protocol = base.protocol === "https:" ? "wss:" : "ws:";
    this.#connection = new StreamConnection(stream.href, options);
    this.http = Effect.runSync(
      Effect.cached(
        HttpApiClient.make(Api, { baseUrl: base }).pipe(Effect.provide(FetchHttpClient.layer)),
      ),
    );
  }

  /** A token's price, whenever a block changes it. */
  price(network: string, token: string): Updates<typeof StreamedPrice.Type> {
    return this.#updates({ channel: "price", network, token });
  }

  /** Prices of up to 100 tokens: all of them first, then those that changed. */
  prices(
    network: string,
    tokens: ReadonlyArray<string>,
  ): Updates<ReadonlyArray<typeof StreamedPrice.Type>> {
    return new Updates(
      this.#connection,
      { channel: "price", network, tokens },
      { join: joinPrices },
    );
  }

  /** The answer to a quote request, whenever a block changes it, or by so many basis points. */
  quotes(network: string, request: QuoteParameters, minChangeBps = 0): Updates<QuoteOrProblem> {
    const subscription = { channel: "quote", network, ...request, minChangeBps };
    // What is told at a threshold is not always the newest.
    if (minChangeBps > 0) return this.#updates(subscription);
    const key = keyOf(network, request);
    return new Updates<QuoteOrProblem>(this.#connection, subscription, {
      observe: (message, by) => this.#observe(key, message, by),
    });
  }

  /** The answers to up to 16 sizes at once, whenever a block changes any. */
  ladder(
    network: string,
    request: Omit<QuoteParameters, "amountIn" | "amountOut">,
    amounts: ReadonlyArray<string>,
    minChangeBps = 0,
  ): Updates<typeof QuoteLadder.Type> {
    return this.#updates({ channel: "quote", network, ...request, amounts, minChangeBps });
  }

  /** A pool, whenever a block changes what is told of it. */
  pool(network: string, pool: string): Updates<typeof Pool.Type | typeof StreamedProblem.Type> {
    return this.#updates({ channel: "pool", network, pool });
  }

  /** Every block. */
  blocks(network: string): Updates<typeof StreamedBlock.Type> {
    return this.#updates({ channel: "block", network });
  }

  /**
   * The best route now: what a stream of `quotes` tells of the same request, if one is being read,
   * else asked over HTTP. Rejects with the problem where there is no quote.
   */
  async quote(network: string, request: QuoteParameters): Promise<SwapQuote> {
    const newest = this.#newest.get(keyOf(network, request))?.answer;
    if (newest !== undefined && "amountOut" in newest) return newest;
    const asked = this.http.pipe(
      Effect.flatMap(({ swap }) => swap.quote({ params: { network }, payload: decoded(request) })),
    );
    return Effect.runPromise(asked);
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** Calls back with every change of the connection's state; gives the unsubscriber. */
  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.onState(listener);
  }

  /** Ends the connection, and all streams. */
  close(): void {
    this.#connection.close();
  }

  #updates<A>(request: object): Updates<A> {
    return new Updates(this.#connection, request);
  }

  /** Of several readers of one request the last one who was told anything keeps the answer. */
  #observe(key: string, message: StateMessage | undefined, by: object): void {
    if (message !== undefined) {
      this.#newest.set(key, { answer: message.data as QuoteOrProblem, by });
    } else if (this.#newest.get(key)?.by === by) {
      this.#newest.delete(key);
    }
  }
}

type HttpClientOf = HttpApiClient.ForApi<typeof Api>;

/** The client encodes it once more, and defaults come back out. */
const decoded = ({ dexId = "ALL", maxHops = 3, maxSplits = 1, ...rest }: QuoteParameters) => ({
  ...rest,
  ...{ dexId, maxHops, maxSplits },
});

const keyOf = (network: string, request: QuoteParameters): string =>
  JSON.stringify([network, Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** The newest price of each token of both. */
function joinPrices(
  older: ReadonlyArray<typeof StreamedPrice.Type>,
  newer: ReadonlyArray<typeof StreamedPrice.Type>,
): ReadonlyArray<typeof StreamedPrice.Type> {
  return [...new Map([...older, ...newer].map((price) => [price.token, price])).values()];
}

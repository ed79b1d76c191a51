import { NATIVE_TOKEN } from "@millrace/api";
import type { AppliedBlock, Engine, TokenIndex } from "@millrace/core";
import type { Network, NetworkMarket } from "@millrace/server";
import { Effect, Exit, Scope } from "effect";
import type {
  AppliedHead,
  EngineHealth,
  NetworkInfo,
  PricedToken,
  QuoteUpdate,
  RoundTrip,
} from "./answers.ts";
import {
  type ListPage,
  MarketLists,
  type PoolListOptions,
  type PoolSummary,
  type TokenListOptions,
  type TokenSummary,
} from "./MarketLists.ts";
import {
  type CandleOptions,
  MarketRecords,
  type MarketTrade,
  type PriceCandle,
  type TradeOptions,
} from "./MarketRecords.ts";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { aborted, closed, internal, PendingCalls } from "./PendingCalls.ts";
import { QuoteSearch } from "./QuoteSearch.ts";
import { quoteUpdates } from "./quoteUpdates.ts";
import { RouteFacts } from "./RouteFacts.ts";
import type { RouteQuote } from "./RouteQuote.ts";
import type { RouteRequest } from "./RouteRequest.ts";
import { poolName, RouteSteps } from "./RouteSteps.ts";
import { reading, signalOf } from "./readArguments.ts";
import type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";
import { type AskedSwap, buildTransactions, permitToSign } from "./swapCalls.ts";
import { TokenNames } from "./TokenNames.ts";

/** The signal aborts a call before its answer. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

type NextBlock = () => Promise<AppliedBlock | undefined>;

/** The most tokens in one call. */
const TOKENS_MAX = 1_000_000;

/**
 * A market in this process, with plain promises: see `openEngine`. Tokens are given by address or
 * by an unambiguous symbol; amounts are in smallest units. Every call fails with a MillraceError.
 */
export class MillraceEngine implements AsyncDisposable {
  /** The underlying engine: indexes instead of addresses, and Effect. */
  readonly core: Engine["Service"];
  readonly chainId: number;
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #scope: Scope.Closeable;
  readonly #tokens: TokenNames;
  readonly #steps: RouteSteps;
  readonly #search: QuoteSearch;
  readonly #lists: MarketLists;
  readonly #records: MarketRecords;
  readonly #calls: PendingCalls;
  readonly #nextBlock: NextBlock | undefined;
  #stepping: Promise<unknown> = Promise.resolve();
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  /**
   * `market` is open and ready; `close` closes the scope. `nextBlock` is for a market of the past.
   */
  constructor(
    network: Network,
    market: NetworkMarket,
    scope: Scope.Closeable,
    nextBlock?: NextBlock,
  ) {
    this.core = market.engine;
    this.chainId = network.config.chainId;
    this.#network = network;
    this.#market = market;
    this.#scope = scope;
    this.#nextBlock = nextBlock;
    this.#tokens = new TokenNames(network, market);
    this.#steps = new RouteSteps(market.engine);
    this.#lists = new MarketLists(market, this.#tokens);
    this.#calls = new PendingCalls(this.#closed.signal);
    this.#records = new MarketRecords({ network, market }, this.#tokens, this.#calls);
    this.#search = new QuoteSearch({
      ...{ network, market, tokens: this.#tokens, steps: this.#steps, calls: this.#calls },
      facts: new RouteFacts(market),
    });
  }

  /** The engine's network. */
  get network(): NetworkInfo {
    const { id, name, chainId, nativeSymbol, wrappedNative, source } = this.#network.config;
    return {
      ...{ id, name, chainId, nativeSymbol, nativeToken: NATIVE_TOKEN },
      wrappedNative: wrappedNative?.toLowerCase(),
      isDevnet: this.#network.isDevnet,
      rpcUrls: source.kind === "chain" ? source.endpoints.map(({ url }) => url) : [],
      dexes: this.core.graph.dexes.map((dex) => ({
        ...{ id: dex.id, name: dex.name, protocol: dex.protocol },
        factory: dex.factory.toLowerCase(),
      })),
    };
  }

  /** Why quotes cannot be relied on now; undefined while they can. */
  obstacle(): string | undefined {
    if (this.#closed.signal.aborted) return closed().message;
    return this.#network.obstacle(Date.now());
  }

  /** Whether quotes can be relied on, and what the engine has seen. */
  health(): EngineHealth {
    this.#expectOpen(undefined);
    const { graph } = this.core;
    const reason = this.obstacle();
    const { chainStatus, history } = this.#network;
    return {
      ready: reason === undefined,
      reason,
      block: graph.stamp,
      headAgeMs: this.#network.headAgeMs(Date.now()) ?? 0,
      poolCount: graph.livePoolCount,
      tokenCount: graph.tokenCount,
      history,
      quotes: chainStatus && {
        compared: chainStatus.auditedQuotes,
        poolsLeftOut: chainStatus.differingQuotes,
      },
    };
  }

  /** The best route now, the same as from the service. */
  quote(parameters: RouteRequest, options?: CallOptions): Promise<RouteQuote> {
    // Behaves like an async function, which would cost a tenth of a µs more.
    try {
      const signal = options === undefined ? undefined : signalOf(options);
      this.#expectReady(signal);
      const found = this.#search.find(parameters, signal);
      return found instanceof Promise ? found.catch(rethrow) : Promise.resolve(found);
    } catch (error) {
      return Promise.reject(coded(error));
    }
  }

  /**
   * The answer now, and whenever a block changes it, at most once per block; a slow reader gets the
   * newest. Ends with the signal, and with the engine.
   */
  quotes(parameters: RouteRequest, options?: CallOptions): AsyncGenerator<QuoteUpdate, void, void> {
    const signal = options === undefined ? undefined : signalOf(options);
    this.#expectOpen(undefined);
    const signals = [this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    return quoteUpdates(
      () => this.quote(parameters),
      (listener) => this.core.onApplied(listener),
      signals,
    );
  }

  /** Unsigned transactions for a quote, simulated by a node where there is one. */
  async swap(quote: RouteQuote, terms: SwapTerms, options?: CallOptions): Promise<Swap> {
    return this.#ask(buildTransactions, quote, terms, options);
  }

  /** A permit that a wallet may sign, so that the swap needs no approval. */
  async permit(quote: RouteQuote, terms: SwapTerms, options?: CallOptions): Promise<PermitToSign> {
    return this.#ask(permitToSign, quote, terms, options);
  }

  /**
   * Calls back once with every block after it was applied; returns a function that unsubscribes. An
   * error of a listener becomes an uncaught exception, and the market goes on.
   */
  onBlock(listener: (block: AppliedHead) => void): () => void {
    this.#expectOpen(undefined);
    if (typeof listener !== "function") throw invalidCall("expected a function");
    return this.core.onApplied((block) => {
      const head = this.#headOf(block);
      queueMicrotask(() => listener(head));
    });
  }

  /**
   * For an engine opened as of a block: goes on to the next block, and to its market; undefined
   * after the last block kept. Rejects with NOT_RECORDED where a block is missing.
   */
  step(): Promise<AppliedHead | undefined> {
    const next = async (): Promise<AppliedHead | undefined> => {
      this.#expectOpen(undefined);
      if (this.#nextBlock === undefined) {
        throw invalidCall("only an engine that was opened as of a block is stepped");
      }
      const { signal } = this.#closed;
      const closing = Promise.withResolvers<never>();
      const onClosed = () => closing.reject(closed());
      signal.addEventListener("abort", onClosed, { once: true });
      try {
        const block = await Promise.race([this.#nextBlock(), closing.promise]);
        return block && this.#headOf(block);
      } finally {
        signal.removeEventListener("abort", onClosed);
      }
    };
    const step = this.#stepping.then(next).catch(rethrow);
    this.#stepping = step.catch(() => {});
    return step;
  }

  /** Profitable round trips from a token through 2 to `maxHops` pools, the best first. */
  cycles(token: string, maxHops = 3): ReadonlyArray<RoundTrip> {
    this.#expectReady(undefined);
    const { index } = this.#tokens.find(token);
    if (!(Number.isInteger(maxHops) && maxHops >= 2 && maxHops <= 4)) {
      throw invalidCall("maxHops: expected 2 to 4");
    }
    return this.core
      .cycles(index, maxHops)
      .map(({ steps, amountIn, amountOut, profit, stamp }) => ({
        steps: this.#steps.of(steps),
        ...{ amountIn, amountOut, profit, block: stamp },
      }));
  }

  /**
   * Prices of tokens; by default of all that a route can pass: listed ones first, then the most
   * liquid.
   */
  prices(tokens?: ReadonlyArray<string>): ReadonlyArray<PricedToken> {
    this.#expectReady(undefined);
    if (tokens === undefined) {
      return this.#market.data.routableTokens().map((token) => this.#price(token));
    }
    if (!Array.isArray(tokens)) throw invalidCall("expected a list of tokens");
    return reading(() => {
      const { length } = tokens;
      if (!(length <= TOKENS_MAX)) throw invalidCall(`at most ${TOKENS_MAX} tokens`);
      return Array.from({ length }, (_, place) =>
        this.#price(this.#tokens.find(tokens[place]!).index),
      );
    });
  }

  /** A page of the tokens of the market. */
  tokens(options: TokenListOptions = {}): ListPage<TokenSummary> {
    this.#expectReady(undefined);
    return this.#lists.tokens(options);
  }

  /** A page of the pools of the market. */
  pools(options: PoolListOptions = {}): ListPage<PoolSummary> {
    this.#expectReady(undefined);
    return this.#lists.pools(options);
  }

  /**
   * Candles of a token or of a pool, ascending: the newest from memory, older ones from the history
   * where one is kept. `1d` candles have the volumes by day.
   */
  async candles(options: CandleOptions, call?: CallOptions): Promise<ReadonlyArray<PriceCandle>> {
    const signal = call === undefined ? undefined : signalOf(call);
    this.#expectReady(signal);
    return this.#records.candles(options, signal);
  }

  /** Trades, the newest first: from memory, and older ones from the history where one is kept. */
  async trades(
    options: TradeOptions = {},
    call?: CallOptions,
  ): Promise<ReadonlyArray<MarketTrade>> {
    const signal = call === undefined ? undefined : signalOf(call);
    this.#expectReady(signal);
    return this.#records.trades(options, signal);
  }

  /** Stops following the market, and ends pending calls. A second call does nothing more. */
  close(): Promise<void> {
    this.#closed.abort();
    this.#closing ??= Effect.runPromise(Scope.close(this.#scope, Exit.void));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #ask<A>(
    ask: (call: AskedSwap) => Promise<A>,
    quote: RouteQuote,
    terms: SwapTerms,
    options: CallOptions | undefined,
  ): Promise<A> {
    const signal = options === undefined ? undefined : signalOf(options);
    this.#expectReady(signal);
    const market = { network: this.#network, market: this.#market };
    try {
      return await ask({ ...market, quote, terms, calls: this.#calls, signal });
    } catch (error) {
      throw coded(error);
    }
  }

  #expectOpen(signal: AbortSignal | undefined): void {
    if (this.#closed.signal.aborted) throw closed();
    if (signal?.aborted === true) throw aborted(signal);
  }

  #expectReady(signal: AbortSignal | undefined): void {
    this.#expectOpen(signal);
    const obstacle = this.#network.obstacle(Date.now());
    if (obstacle !== undefined) throw new MillraceError("NOT_READY", obstacle);
  }

  #headOf({ stamp, changedPools }: AppliedBlock): AppliedHead {
    const { graph } = this.core;
    const names = [...new Set(changedPools)].map((pool) => poolName(graph, pool));
    return { ...stamp, changedPools: names };
  }

  #price(token: TokenIndex): PricedToken {
    const { data } = this.#market;
    const { address, symbol, decimals } = data.listing(token);
    const { priceUsd, confidence } = data.price(token);
    return { address, symbol, decimals, priceUsd, confidence };
  }
}

const rethrow = (error: unknown): never => {
  throw coded(error);
};

const coded = (error: unknown): MillraceError =>
  error instanceof MillraceError ? error : internal(error);

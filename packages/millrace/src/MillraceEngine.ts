import type { AppliedBlock, Engine, PoolIndex, TokenIndex } from "@millrace/core";
import type { Network, NetworkMarket } from "@millrace/server";
import { Effect, Exit, Scope } from "effect";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { aborted } from "./outcomes.ts";
import { QuoteSearch, type Sought } from "./QuoteSearch.ts";
import type {
  AppliedHead,
  PricedToken,
  QuoteUpdate,
  RoundTrip,
  RouteQuote,
  RouteRequest,
} from "./RouteQuote.ts";
import { RouteSteps } from "./RouteSteps.ts";
import { readQuotes } from "./readQuotes.ts";
import type { PermitToSign, Swap, SwapTerms } from "./SwapTerms.ts";
import { buildTransactions, permitToSign } from "./swapCalls.ts";
import { TokenNames } from "./TokenNames.ts";

/** Ends a call before it has its answer. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

const NO_OPTIONS: CallOptions = {};

/**
 * A market in this process, in plain promises: see `openEngine`. Tokens are named by address or by
 * a symbol that only one has; amounts are in smallest units. Every call fails with a MillraceError.
 */
export class MillraceEngine implements AsyncDisposable {
  /** The engine below: indexes instead of addresses, and Effect. */
  readonly core: Engine["Service"];
  readonly chainId: number;
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #scope: Scope.Closeable;
  readonly #tokens: TokenNames;
  readonly #steps: RouteSteps;
  readonly #search: QuoteSearch;
  readonly #closed = new AbortController();

  /** Opened, and ready; `close` closes the scope. */
  constructor(network: Network, market: NetworkMarket, scope: Scope.Closeable) {
    this.core = market.engine;
    this.chainId = network.config.chainId;
    this.#network = network;
    this.#market = market;
    this.#scope = scope;
    this.#tokens = new TokenNames(network, market);
    this.#steps = new RouteSteps(market.engine.graph);
    this.#search = new QuoteSearch(network, market, this.#tokens);
  }

  /** Why quotes cannot be relied on now; undefined while they can. */
  obstacle(): string | undefined {
    return this.#network.obstacle(Date.now());
  }

  /** The best route now, the same that the service gives. */
  async quote(parameters: RouteRequest, { signal }: CallOptions = NO_OPTIONS): Promise<RouteQuote> {
    this.#expectReady(signal);
    const sought = this.#search.sought(parameters);
    if (sought.tokenIn.index === sought.tokenOut.index) return this.#wrapping(sought);
    const found = this.#search.find(parameters, sought, signal);
    const quote = found instanceof Promise ? await found : found;
    const { amountIn, amountOut, steps, priceImpact, stamp } = quote;
    this.#market.routedSwaps?.note(this.core.graph, steps);
    return {
      kind: sought.kind,
      tokenIn: sought.tokenIn.address,
      tokenOut: sought.tokenOut.address,
      amountIn,
      amountOut,
      steps: this.#steps.of(steps),
      priceImpact,
      block: stamp,
    };
  }

  /** The answer now, and whenever a block changes it; where a reader is slow, the newest. */
  quotes(
    parameters: RouteRequest,
    { signal }: CallOptions = NO_OPTIONS,
  ): AsyncGenerator<QuoteUpdate, void, void> {
    const signals = [this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    return readQuotes(
      () => this.quote(parameters),
      (listener) => this.core.onApplied(listener),
      AbortSignal.any(signals),
    );
  }

  /** Unsigned transactions for a quote, tried by a node where there is one. */
  async swap(
    quote: RouteQuote,
    terms: SwapTerms,
    { signal }: CallOptions = NO_OPTIONS,
  ): Promise<Swap> {
    this.#expectReady(signal);
    return buildTransactions({
      network: this.#network,
      market: this.#market,
      quote,
      terms,
      signal,
    });
  }

  /** What a wallet may sign so that the swap needs no approval. */
  async permit(
    quote: RouteQuote,
    terms: SwapTerms,
    { signal }: CallOptions = NO_OPTIONS,
  ): Promise<PermitToSign> {
    this.#expectReady(signal);
    return permitToSign({ network: this.#network, market: this.#market, quote, terms, signal });
  }

  /**
   * Calls back once with every block after it was applied; gives the unsubscriber. What a listener
   * throws is thrown where nobody catches it, and the market goes on.
   */
  onBlock(listener: (block: AppliedHead) => void): () => void {
    this.#expectReady(undefined);
    if (typeof listener !== "function") throw invalidCall("expected a function");
    return this.core.onApplied(({ stamp, changedPools }: AppliedBlock) => {
      const names = [...new Set(changedPools)].map((pool) => this.#poolName(pool));
      queueMicrotask(() => listener({ ...stamp, changedPools: names }));
    });
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

  /** Prices of tokens, or of all that a route can pass: listed ones first, then the most liquid. */
  prices(tokens?: ReadonlyArray<string>): ReadonlyArray<PricedToken> {
    this.#expectReady(undefined);
    if (tokens !== undefined && !Array.isArray(tokens))
      throw invalidCall("expected a list of tokens");
    const { data } = this.#market;
    const indexes = tokens?.map((token) => this.#tokens.find(token).index) ?? data.routableTokens();
    return indexes.map((token) => this.#price(token));
  }

  /** Stops following the market, and ends what is still asked of it. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    await Effect.runPromise(Scope.close(this.#scope, Exit.void));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #expectReady(signal: AbortSignal | undefined): void {
    if (this.#closed.signal.aborted) throw new MillraceError("CLOSED", "the engine is closed");
    if (signal?.aborted === true) throw aborted(signal);
    const obstacle = this.obstacle();
    if (obstacle !== undefined) throw new MillraceError("NOT_READY", obstacle);
  }

  /** The native token and its wrapped form: one to one, through no pool. */
  #wrapping({ kind, tokenIn, tokenOut, amount }: Sought): RouteQuote {
    const { stamp } = this.core.graph;
    const amounts = { amountIn: amount, amountOut: amount, priceImpact: 0 };
    const tokens = { tokenIn: tokenIn.address, tokenOut: tokenOut.address };
    return { kind, ...tokens, ...amounts, steps: [], block: stamp };
  }

  #price(token: TokenIndex): PricedToken {
    const { data } = this.#market;
    const { address, symbol, decimals } = data.listing(token);
    const { priceUsd, confidence } = data.price(token);
    return { address, symbol, decimals, priceUsd, confidence };
  }

  #poolName(pool: PoolIndex): string {
    const { graph } = this.core;
    return graph.poolId(pool) ?? graph.poolAddress(pool);
  }
}

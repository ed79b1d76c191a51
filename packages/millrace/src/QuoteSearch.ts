import { decodeQuoteRequest, decodeQuoteRequestStrictly, QUOTE_SPLITS_MAX } from "@millrace/api";
import {
  type QuoteRequest as MarketRequest,
  type Quote,
  QuoteRequestError,
  type QuoteResult,
} from "@millrace/core";
import {
  decodeBody,
  filterFor,
  type Network,
  type NetworkMarket,
  noQuote,
  nothingExecutable,
  priceGas,
  resolveQuote,
} from "@millrace/server";
import { Effect } from "effect";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import { accepted, jsonText, runUntil, serviceError } from "./outcomes.ts";
import type { RouteRequest } from "./RouteQuote.ts";
import type { FoundToken, TokenNames } from "./TokenNames.ts";

/** What a call asks for, in terms of the market; no request where there is nothing to search. */
export interface Sought {
  readonly tokenIn: FoundToken;
  readonly tokenOut: FoundToken;
  readonly kind: "exactIn" | "exactOut";
  readonly amount: bigint;
}

/** Parameters that the search takes as they are; others limit it, and are looked up. */
const PLAIN = new Set(["tokenIn", "tokenOut", "amountIn", "amountOut", "maxHops", "maxSplits"]);
const ALL = { dexId: "ALL" };

/** Searches what calls ask for, as the service does. */
export class QuoteSearch {
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #tokens: TokenNames;

  constructor(network: Network, market: NetworkMarket, tokens: TokenNames) {
    this.#network = network;
    this.#market = market;
    this.#tokens = tokens;
  }

  /** Throws a MillraceError for what makes no sense. */
  sought(parameters: RouteRequest): Sought {
    if (typeof parameters !== "object" || parameters === null) {
      throw invalidCall("expected parameters");
    }
    const { amountIn, amountOut } = parameters;
    const amount = amountIn ?? amountOut;
    if (typeof amount !== "bigint" || (amountIn !== undefined && amountOut !== undefined)) {
      throw invalidCall("expected exactly one of amountIn and amountOut, as a bigint");
    }
    const tokenIn = this.#tokens.find(parameters.tokenIn);
    const tokenOut = this.#tokens.find(parameters.tokenOut);
    if (tokenIn.index === tokenOut.index && tokenIn.isNative === tokenOut.isNative) {
      throw invalidCall("tokenIn and tokenOut must differ");
    }
    if (amount === 0n) throw new MillraceError("AMOUNT_TOO_SMALL", "an amount of 0 buys nothing");
    const kind = amountIn === undefined ? "exactOut" : "exactIn";
    return { tokenIn, tokenOut, kind, amount };
  }

  /** The best route now; a promise where a thread searches, or a node tells the price of gas. */
  find(
    parameters: RouteRequest,
    sought: Sought,
    signal: AbortSignal | undefined,
  ): Quote | Promise<Quote> {
    for (const name in parameters) {
      if (!PLAIN.has(name)) return this.#findPriced(parameters, sought, signal);
    }
    const { tokenIn, tokenOut, kind, amount } = sought;
    const { maxHops = 3, maxSplits = 1 } = parameters;
    if (!(maxSplits <= QUOTE_SPLITS_MAX))
      throw invalidCall(`maxSplits: at most ${QUOTE_SPLITS_MAX}`);
    const filter = filterFor(this.#network, this.#market, kind, ALL);
    if (filter !== undefined && "status" in filter) throw serviceError(filter);
    if (filter?.dexSets?.length === 0)
      throw serviceError(nothingExecutable(this.#network, this.#market));
    const request: MarketRequest = {
      tokenIn: tokenIn.index,
      tokenOut: tokenOut.index,
      kind,
      amount,
      maxHops,
      maxSplits,
      ...(filter !== undefined && { filter }),
    };
    return this.#search(request, sought, signal);
  }

  async #findPriced(
    { tokenIn: _, tokenOut: __, ...options }: RouteRequest,
    sought: Sought,
    signal: AbortSignal | undefined,
  ): Promise<Quote> {
    const tokens = { tokenA: sought.tokenIn.address, tokenB: sought.tokenOut.address };
    const body = jsonText({ ...tokens, ...options });
    const request = accepted(decodeBody(body, decodeQuoteRequest, decodeQuoteRequestStrictly));
    const given = priceGas(this.#network, this.#market, request);
    const priced = accepted(Effect.isEffect(given) ? await runUntil(given, signal) : given);
    return this.#search(
      accepted(resolveQuote(this.#network, this.#market, priced)),
      sought,
      signal,
    );
  }

  #search(
    request: MarketRequest,
    sought: Sought,
    signal: AbortSignal | undefined,
  ): Quote | Promise<Quote> {
    const { engine } = this.#market;
    if (engine.isHeavy(request)) return this.#searchElsewhere(request, sought, signal);
    try {
      return this.#found(engine.quoteUnsafe(request), sought);
    } catch (error) {
      throw error instanceof QuoteRequestError
        ? new MillraceError(error.code, error.message)
        : error;
    }
  }

  async #searchElsewhere(
    request: MarketRequest,
    sought: Sought,
    signal: AbortSignal | undefined,
  ): Promise<Quote> {
    const { engine } = this.#market;
    const { topologyVersion } = engine.graph;
    const searched = engine.quote(request).pipe(
      Effect.catchTag("QuoteError", ({ reason }) =>
        Effect.succeed<QuoteResult>({ found: false, reason }),
      ),
      Effect.mapError(({ code, message }) => new MillraceError(code, message)),
    );
    const result = await runUntil(searched, signal);
    // Pools came or went while it waited: indexes may stand for others.
    return engine.graph.topologyVersion === topologyVersion
      ? this.#found(result, sought)
      : this.#found(engine.quoteUnsafe(request), sought);
  }

  #found(result: QuoteResult, { tokenIn, tokenOut }: Sought): Quote {
    if (result.found) return result;
    const asked = { tokenA: tokenIn.address, tokenB: tokenOut.address, dexId: "ALL" };
    throw serviceError(noQuote(this.#network, asked, result.reason));
  }
}

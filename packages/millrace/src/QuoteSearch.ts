import { decodeQuoteRequest, decodeQuoteRequestStrictly } from "@millrace/api";
import {
  type QuoteRequest as MarketRequest,
  type NoQuoteReason,
  type Quote,
  QuoteRequestError,
  type QuoteResult,
  type RefusalLimit,
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
  withAssumptions,
} from "@millrace/server";
import { Effect } from "effect";
import type { QuoteExplanation } from "./FoundRoute.ts";
import { MillraceError } from "./MillraceError.ts";
import { accepted, serviceError } from "./outcomes.ts";
import type { PendingCalls } from "./PendingCalls.ts";
import type { RouteFacts } from "./RouteFacts.ts";
import { RouteQuote } from "./RouteQuote.ts";
import type { RouteRequest } from "./RouteRequest.ts";
import type { RouteSteps } from "./RouteSteps.ts";
import { type AskedRoute, readRoute } from "./readRoute.ts";
import { NOTHING_LOST, routeExplanation } from "./routeExplanation.ts";
import type { TokenNames } from "./TokenNames.ts";
import { wireAssumptions, wireText } from "./wire.ts";

const ALL = { dexId: "ALL" };

/** The tools for quotes. */
interface Means {
  readonly network: Network;
  readonly market: NetworkMarket;
  readonly tokens: TokenNames;
  readonly steps: RouteSteps;
  readonly facts: RouteFacts;
  readonly calls: PendingCalls;
}

/** Searches for the calls' quotes, as the service does. */
export class QuoteSearch {
  readonly #network: Network;
  readonly #market: NetworkMarket;
  readonly #means: Means;

  constructor(means: Means) {
    this.#network = means.network;
    this.#market = means.market;
    this.#means = means;
  }

  /**
   * The best route now; a promise where a thread searches, or a node gives the gas price. Throws a
   * MillraceError for invalid parameters, and where there is no route.
   */
  find(
    parameters: RouteRequest,
    signal: AbortSignal | undefined,
  ): RouteQuote | Promise<RouteQuote> {
    const asked = readRoute(parameters, this.#means.tokens);
    if (asked.options !== undefined) return this.#findWithOptions(asked, signal);
    if (isWrapping(asked)) return this.#wrapping(asked);
    const request = () => this.#plainRequest(asked);
    return this.#search(asked, signal, request(), request);
  }

  #plainRequest({ tokenIn, tokenOut, kind, ...asked }: AskedRoute): MarketRequest {
    const filter = filterFor(this.#network, this.#market, kind, ALL);
    if (filter !== undefined && "status" in filter) throw serviceError(filter);
    if (filter?.dexSets?.length === 0)
      throw serviceError(nothingExecutable(this.#network, this.#market));
    const { amount, maxHops, maxSplits } = asked;
    return {
      tokenIn: tokenIn.index,
      tokenOut: tokenOut.index,
      ...{ kind, amount, maxHops, maxSplits, filter },
    };
  }

  /** As the service answers a body: it checks the options in the same places. */
  async #findWithOptions(asked: AskedRoute, signal: AbortSignal | undefined): Promise<RouteQuote> {
    const { tokenIn, tokenOut, kind, amount, maxHops, maxSplits, options } = asked;
    const { assume, ...rest } = options!;
    const body = wireText({
      ...{ tokenA: tokenIn.address, tokenB: tokenOut.address, maxHops, maxSplits },
      ...(kind === "exactIn" ? { amountIn: amount } : { amountOut: amount }),
      ...rest,
      ...(assume !== undefined && { assume: wireAssumptions(this.#market.engine.graph, assume) }),
    });
    const request = accepted(decodeBody(body, decodeQuoteRequest, decodeQuoteRequestStrictly));
    const given = priceGas(this.#network, this.#market, request);
    const { calls } = this.#means;
    const priced = accepted(Effect.isEffect(given) ? await calls.run(given, signal) : given);
    const resolve = () => resolveQuote(this.#network, this.#market, priced);
    const resolved = resolve();
    const isExplained = request.explain === true;
    if ("status" in resolved) {
      if (resolved.status !== 200) throw serviceError(resolved);
      return this.#wrapping(asked, isExplained ? NOTHING_LOST : undefined);
    }
    const assumptions = request.assume ?? [];
    if (!isExplained && assumptions.length === 0) {
      return this.#search(asked, signal, resolved, () => {
        const request = resolve();
        if (!("status" in request)) return request;
        throw request.status === 200 ? new Error("it became a wrapping") : serviceError(request);
      });
    }
    const assumed = accepted(withAssumptions(this.#network, this.#market, assumptions));
    const result = assumed.quoteUnsafe(resolved);
    const explanation = isExplained ? assumed.explain(resolved, result) : undefined;
    if (!result.found) {
      const limit = explanation?.kind === "refusal" ? explanation.limit : undefined;
      throw this.#none(asked, result.reason, limit);
    }
    if (explanation?.kind !== "route") return this.#quoteOf(asked, result, undefined);
    const { steps } = this.#means;
    const { graph } = this.#market.engine;
    return this.#quoteOf(asked, result, routeExplanation(graph, steps, result, explanation));
  }

  /** `again` gives the request as of the market at the time of the call. */
  #search(
    asked: AskedRoute,
    signal: AbortSignal | undefined,
    request: MarketRequest,
    again: () => MarketRequest,
  ): RouteQuote | Promise<RouteQuote> {
    const { engine } = this.#market;
    if (engine.isHeavy(request)) return this.#searchElsewhere(asked, signal, request, again);
    return this.#answer(asked, this.#searchNow(request));
  }

  #searchNow(request: MarketRequest): QuoteResult {
    try {
      return this.#market.engine.quoteUnsafe(request);
    } catch (error) {
      throw error instanceof QuoteRequestError
        ? new MillraceError(error.code, error.message)
        : error;
    }
  }

  async #searchElsewhere(
    asked: AskedRoute,
    signal: AbortSignal | undefined,
    request: MarketRequest,
    again: () => MarketRequest,
  ): Promise<RouteQuote> {
    const { engine } = this.#market;
    const { topologyVersion } = engine.graph;
    const searched = engine.quote(request).pipe(
      Effect.catchTag("QuoteError", ({ reason }) =>
        Effect.succeed<QuoteResult>({ found: false, reason }),
      ),
      Effect.mapError(({ code, message }) => new MillraceError(code, message)),
    );
    const result = await this.#means.calls.run(searched, signal);
    // Pools came or went while it waited: indexes may stand for other pools.
    const isCurrent = engine.graph.topologyVersion === topologyVersion;
    return this.#answer(asked, isCurrent ? result : this.#searchNow(again()));
  }

  #answer(asked: AskedRoute, result: QuoteResult): RouteQuote {
    if (result.found) return this.#quoteOf(asked, result, undefined);
    throw this.#none(asked, result.reason, undefined);
  }

  #none(
    { tokenIn, tokenOut, options }: AskedRoute,
    reason: NoQuoteReason,
    limit: RefusalLimit | undefined,
  ): MillraceError {
    const names = { tokenA: tokenIn.address, tokenB: tokenOut.address };
    const asked = { ...names, dexId: options?.dexId ?? ALL.dexId };
    return serviceError(noQuote(this.#network, asked, reason), limit);
  }

  #quoteOf(
    { kind, tokenIn, tokenOut }: AskedRoute,
    { amountIn, amountOut, steps, priceImpact, stamp, certificate }: Quote,
    explanation: QuoteExplanation | undefined,
  ): RouteQuote {
    this.#market.routedSwaps?.note(this.#market.engine.graph, steps);
    const route = {
      kind,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      amountIn,
      amountOut,
      steps: this.#means.steps.of(steps),
      priceImpact,
      block: stamp,
      certificate,
      explanation,
    };
    return new RouteQuote(route, this.#means.facts);
  }

  /** The native token and its wrapped form: one to one, through no pool. */
  #wrapping(
    { kind, tokenIn, tokenOut, amount, maxHops, options }: AskedRoute,
    explanation?: QuoteExplanation,
  ): RouteQuote {
    const { stamp: block } = this.#market.engine.graph;
    const isCertified = options?.certify === true || options?.gapBps !== undefined;
    const certificate = isCertified ? { bound: amount, gapBps: 0, hops: maxHops } : undefined;
    const amounts = { amountIn: amount, amountOut: amount, priceImpact: 0, steps: [] };
    const tokens = { tokenIn: tokenIn.address, tokenOut: tokenOut.address };
    const route = { kind, ...tokens, ...amounts, block, certificate, explanation };
    return new RouteQuote(route, this.#means.facts);
  }
}

const isWrapping = ({ tokenIn, tokenOut }: AskedRoute): boolean => tokenIn.index === tokenOut.index;

import {
  decodeQuoteRequest,
  decodeQuoteRequestStrictly,
  mostPathsOf,
  type QuoteRequestJson,
  scanQuoteRequest,
} from "@millrace/api";
import {
  type Explanation,
  type QuoteRequest as MarketRequest,
  type QuoteResult,
  step,
} from "@millrace/core";
import { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { decodeBody } from "../answers/decodeBody.ts";
import { spanned } from "../traces/Traces.ts";
import { type PricedRequest, priceGas } from "./PricedRequest.ts";
import type { OwnMarket, QuoteMarket, QuoteNetwork } from "./QuoteMarket.ts";
import { noQuote, notReady, tooManyWaiting } from "./refusals.ts";
import { resolveQuote } from "./resolveQuote.ts";
import { isStudy, studyQuote, writeResult } from "./studyQuote.ts";
import type { TurnQueue } from "./TurnQueue.ts";
import { writeQuote } from "./writeQuote.ts";

/**
 * The answer to a quote request with the given body, on the newest block: in most cases computed
 * now, synchronously. What takes milliseconds is an Effect: worker threads search, or the request
 * takes its turn, one of each `client` after the other. `refuse` may refuse a valid request. Never
 * throws, whatever a client sends.
 */
export function answerQuote(
  network: QuoteNetwork,
  turns: TurnQueue,
  body: string,
  nowMs: number,
  client: () => string,
  refuse: (request: QuoteRequestJson) => Answer | undefined,
): Answer | Effect.Effect<Answer> {
  const request =
    scanQuoteRequest(body) ?? decodeBody(body, decodeQuoteRequest, decodeQuoteRequestStrictly);
  if ("status" in request) return request;
  return refuse(request) ?? answerRequest(network, turns, request, nowMs, client);
}

/** The answer to a request that is decoded already. */
export function answerRequest(
  network: QuoteNetwork,
  turns: TurnQueue,
  request: QuoteRequestJson,
  nowMs: number,
  client: () => string,
): Answer | Effect.Effect<Answer> {
  const shared = network.market?.shared;
  if (shared === undefined) return answerHere(network, turns, request, nowMs, client);
  // One thread asks nodes, for all.
  const asksNode = request.gasAware === true && request.gasPriceWei === undefined;
  const answer = asksNode
    ? undefined
    : shared.read(() => answerHere(network, turns, request, nowMs, client));
  return answer ?? shared.elsewhere(request, client());
}

function answerHere(
  network: QuoteNetwork,
  turns: TurnQueue,
  request: QuoteRequestJson,
  nowMs: number,
  client: () => string,
): Answer | Effect.Effect<Answer> {
  const obstacle = network.obstacle(nowMs);
  const { market } = network;
  if (obstacle !== undefined || market === undefined) return notReady(network, obstacle);
  const priced = priceGas(network, market, request);
  const asked = { network, turns, market, client };
  if (!Effect.isEffect(priced)) return answerPriced(asked, priced);
  return Effect.flatMap(priced, (given) => {
    const answer = answerPriced(asked, given);
    return Effect.isEffect(answer) ? answer : Effect.succeed(answer);
  });
}

/** Where a request is answered, and for whom. */
interface Asked {
  readonly network: QuoteNetwork;
  readonly turns: TurnQueue;
  readonly market: QuoteMarket;
  readonly client: () => string;
}

function answerPriced(
  asked: Asked,
  request: PricedRequest | Answer,
): Answer | Effect.Effect<Answer> {
  if ("status" in request) return request;
  const { network, market } = asked;
  // Worker threads do not have the assumptions.
  const { assume = [] } = request;
  const isForThreads = market.engine.workers !== undefined && assume.length === 0;
  if (isStudy(request) && !isForThreads) {
    return inTurn(asked, request, () => studyQuote(network, market, request));
  }
  const resolved = resolveQuote(network, market, request);
  if ("status" in resolved) return resolved;
  if (isStudy(request) || market.engine.isHeavy(resolved)) {
    return market.shared === undefined
      ? searchElsewhere({ ...asked, market }, request, resolved)
      : market.shared.elsewhere(request, asked.client());
  }
  const isLight = mostPathsOf(request) === 1 || market.engine.workers !== undefined;
  if (isLight) return searchNow(network, market, request, resolved);
  return inTurn(asked, request, () => answerNow(network, market, request));
}

function searchNow(
  network: QuoteNetwork,
  market: QuoteMarket,
  request: PricedRequest,
  resolved: MarketRequest,
): Answer {
  const result = step("search", () => market.engine.quoteUnsafe(resolved));
  return result.found
    ? writeQuote(market, request, result)
    : noQuote(network, request, result.reason);
}

/** Resolves the request anew: pools may have come and gone since it arrived. */
function answerNow(network: QuoteNetwork, market: QuoteMarket, request: PricedRequest): Answer {
  const resolved = resolveQuote(network, market, request);
  return "status" in resolved ? resolved : searchNow(network, market, request, resolved);
}

function searchElsewhere(
  asked: Asked & { readonly market: OwnMarket },
  request: PricedRequest,
  resolved: MarketRequest,
): Answer | Effect.Effect<Answer> {
  const { network, market } = asked;
  const { engine, searches } = market;
  const { graph } = engine;
  const client = asked.client();
  if (!searches.takes(client)) return tooManyWaiting;
  const { topologyVersion } = graph;
  const search = spanned(
    "search",
    searches.run(client, soughtElsewhere(engine, request, resolved)),
  );
  return Effect.flatMap(search, ({ result, explanation }) => {
    if (graph.topologyVersion !== topologyVersion) {
      // Pools came or went meanwhile: an index may stand for another pool.
      const again = resolveQuote(network, market, request);
      const answer = "status" in again ? again : searchElsewhere(asked, request, again);
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer);
    }
    return Effect.succeed(writeResult(network, market, request, result, explanation));
  });
}

interface Found {
  readonly result: QuoteResult;
  readonly explanation: Explanation | undefined;
}

/** The resolved request is valid: a failure would be a bug. */
function soughtElsewhere(
  engine: OwnMarket["engine"],
  { explain }: PricedRequest,
  resolved: MarketRequest,
): Effect.Effect<Found> {
  if (explain === true) return Effect.orDie(engine.quoteExplained(resolved));
  return engine.quote(resolved).pipe(
    Effect.catchTag("QuoteRequestError", Effect.die),
    Effect.match({
      onSuccess: (result): Found => ({ result, explanation: undefined }),
      onFailure: ({ reason }): Found => ({
        result: { found: false, reason },
        explanation: undefined,
      }),
    }),
  );
}

function inTurn(
  { turns, market: { shared }, ...asked }: Asked,
  request: PricedRequest,
  compute: () => Answer,
): Answer | Effect.Effect<Answer> {
  const client = asked.client();
  const isFull = turns.length >= TURNS_WAITING_MAX || turns.lengthOf(client) >= TURNS_OF_CLIENT_MAX;
  if (isFull) return tooManyWaiting;
  if (shared === undefined) return spanned("search", turns.compute(client, compute));
  return Effect.flatMap(
    turns.compute(client, () => shared.read(compute)),
    (answer) => (answer === undefined ? shared.elsewhere(request, client) : Effect.succeed(answer)),
  );
}

/** Each takes milliseconds; one client may have about a second's worth. */
const TURNS_WAITING_MAX = 256;
const TURNS_OF_CLIENT_MAX = 64;

import {
  decodeQuoteRequest,
  decodeQuoteRequestStrictly,
  mostPathsOf,
  type QuoteRequestJson,
} from "@millrace/api";
import type { QuoteRequest as MarketRequest } from "@millrace/core";
import { Effect, Result } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { decodeBody } from "../answers/decodeBody.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { type PricedRequest, priceGas } from "./PricedRequest.ts";
import { noQuote, notReady, tooManyWaiting } from "./refusals.ts";
import { resolveQuote } from "./resolveQuote.ts";
import { isStudy, studyQuote } from "./studyQuote.ts";
import type { TurnQueue } from "./TurnQueue.ts";
import { writeQuote } from "./writeQuote.ts";

/**
 * The answer to a quote request with the given body, on the state of the newest block: as a rule
 * computed now, synchronously. What takes milliseconds is given as an Effect: worker threads search
 * it, or it takes its turn, one of each `client` after
 * the other. `refuse` may refuse what is sound. Never throws for anything that a
 * client can send.
 */
export function answerQuote(
  network: Network,
  turns: TurnQueue,
  body: string,
  nowMs: number,
  client: () => string,
  refuse: (request: QuoteRequestJson) => Answer | undefined,
): Answer | Effect.Effect<Answer> {
  const request = decodeBody(body, decodeQuoteRequest, decodeQuoteRequestStrictly);
  if ("status" in request) return request;
  return refuse(request) ?? answerRequest(network, turns, request, nowMs, client);
}

/** The same for a request that is decoded already. */
export function answerRequest(
  network: Network,
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
  readonly network: Network;
  readonly turns: TurnQueue;
  readonly market: NetworkMarket;
  readonly client: () => string;
}

function answerPriced(
  asked: Asked,
  request: PricedRequest | Answer,
): Answer | Effect.Effect<Answer> {
  if ("status" in request) return request;
  const { network, market } = asked;
  if (isStudy(request)) return inTurn(asked, () => studyQuote(network, market, request));
  const resolved = resolveQuote(network, market, request);
  if ("status" in resolved) return resolved;
  if (market.engine.isHeavy(resolved)) return searchElsewhere(asked, request, resolved);
  const isLight = mostPathsOf(request) === 1 || market.engine.workers !== undefined;
  if (isLight) return searchNow(network, market, request, resolved);
  return inTurn(asked, () => answerNow(network, market, request));
}

function searchNow(
  network: Network,
  market: NetworkMarket,
  request: PricedRequest,
  resolved: MarketRequest,
): Answer {
  const result = market.engine.quoteUnsafe(resolved);
  return result.found
    ? writeQuote(market, request, result)
    : noQuote(network, request, result.reason);
}

/** Pools may have come and gone since the request arrived: everything of it is looked up anew. */
function answerNow(network: Network, market: NetworkMarket, request: PricedRequest): Answer {
  const resolved = resolveQuote(network, market, request);
  return "status" in resolved ? resolved : searchNow(network, market, request, resolved);
}

function searchElsewhere(
  asked: Asked,
  request: PricedRequest,
  resolved: MarketRequest,
): Answer | Effect.Effect<Answer> {
  const { network, market } = asked;
  const { engine, searches } = market;
  const { graph } = engine;
  const client = asked.client();
  if (!searches.takes(client)) return tooManyWaiting;
  const { topologyVersion } = graph;
  // What was resolved makes sense: another failure would be ours.
  const sought = Effect.catchTag(engine.quote(resolved), "QuoteRequestError", Effect.die);
  const search = searches.run(client, Effect.result(sought));
  return Effect.flatMap(search, (found) => {
    if (graph.topologyVersion !== topologyVersion) {
      // Pools came or went while it waited: indexes may stand for others.
      const again = resolveQuote(network, market, request);
      const answer = "status" in again ? again : searchElsewhere(asked, request, again);
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer);
    }
    return Effect.succeed(
      Result.isSuccess(found)
        ? writeQuote(market, request, found.success)
        : noQuote(network, request, found.failure.reason),
    );
  });
}

function inTurn({ turns, ...asked }: Asked, compute: () => Answer): Answer | Effect.Effect<Answer> {
  const client = asked.client();
  const isFull = turns.length >= TURNS_WAITING_MAX || turns.lengthOf(client) >= TURNS_OF_CLIENT_MAX;
  return isFull ? tooManyWaiting : turns.compute(client, compute);
}

/** At milliseconds each; of one client a second's worth, about. */
const TURNS_WAITING_MAX = 256;
const TURNS_OF_CLIENT_MAX = 64;

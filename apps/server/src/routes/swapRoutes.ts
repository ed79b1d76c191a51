import {
  Api,
  CycleList,
  DexList,
  InvalidRequest,
  isNativeToken,
  issueAt,
  NotReady,
  PriceAnswer,
  TokenEntryAnswer,
  UnknownNetwork,
  UnknownToken,
} from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import { Clock, Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { respondDirect, respondFresh, respondJson } from "../answers/responses.ts";
import { AnswerCost } from "../limits/AnswerCost.ts";
import { refusalOf } from "../limits/chargedAnswer.ts";
import { COSTS, costOfCycles } from "../limits/costs.ts";
import { Limits } from "../limits/Limits.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { Networks } from "../networks/Networks.ts";
import { nativeEntry, tokenAt, tokenEntry } from "../networks/tokenEntry.ts";
import { QuoteHandler } from "../quote/QuoteHandler.ts";
import { tooManyWaiting } from "../quote/refusals.ts";
import { SwapHandler } from "../swap/SwapHandler.ts";
import { tokenEntriesText, tokenListText } from "./listParts.ts";
import type { Opened } from "./marketOf.ts";
import { listResponder } from "./respondList.ts";

/** The swap interface of each network (section 3 of the contract). */
export const swapRoutes = HttpApiBuilder.group(
  Api,
  "swap",
  Effect.fnUntraced(function* (handlers) {
    const open = openFor(yield* Networks);
    const limits = yield* Limits;
    const respondList = listResponder(limits);
    const quoteHandler = yield* QuoteHandler;
    const swapHandler = yield* SwapHandler;
    // Direct routes answer the three POSTs in the usual form of their paths. Requests here have
    // another form of the path (`/ETH/%71uote`, `/ETH/quote/`), or an unknown network.
    const handleRaw = (answer: DirectAnswer) =>
      Effect.fnUntraced(function* ({ params, request }: RawRequest) {
        const body = yield* Effect.orDie(request.text);
        const query = queryOf(request.url);
        const given = answer(params.network, body, query, limits.clientOf(request));
        return respondDirect(Effect.isEffect(given) ? yield* given : given);
      });
    return handlers
      .handleRaw("quote", handleRaw(quoteHandler.handle))
      .handleRaw(
        "swap",
        handleRaw((...request) => swapHandler.handle("swap", ...request)),
      )
      .handleRaw(
        "permit",
        handleRaw((...request) => swapHandler.handle("permit", ...request)),
      )
      .handleAll({
        dexes: Effect.fnUntraced(function* ({ params }) {
          const { market } = yield* open(params.network);
          return respondJson(DexList, { result: dexEntries(market) });
        }),
        tokenList: Effect.fnUntraced(function* ({ params, request }) {
          const opened = yield* open(params.network);
          return yield* respondList(request, opened, tokenListText(opened));
        }),
        tokenListWithDetails: Effect.fnUntraced(function* ({ params, request }) {
          const opened = yield* open(params.network);
          return yield* respondList(request, opened, tokenEntriesText(opened));
        }),
        tokenDetails: Effect.fnUntraced(function* ({ params }) {
          const { network, market } = yield* open(params.network);
          const token = yield* findToken(network, market, params.tokenAddress);
          const native = isNativeToken(params.tokenAddress)
            ? nativeEntry(network.config, market)
            : undefined;
          return respondJson(TokenEntryAnswer, { result: native ?? tokenEntry(market, token) });
        }),
        swapTokenPrice: Effect.fnUntraced(function* ({ params }) {
          const { network, market } = yield* open(params.network);
          const token = yield* findToken(network, market, params.tokenAddress);
          return respondFresh(PriceAnswer, { result: market.data.price(token).priceUsd });
        }),
        cycles: Effect.fnUntraced(function* ({ params, query, request }) {
          const { network, market } = yield* open(params.network);
          const token = yield* findToken(network, market, yield* startToken(network, query.token));
          const { limit, maxHops } = query;
          const known = market.cycles.known(token, maxHops);
          const client = limits.clientOf(request);
          if (known === undefined) {
            if (!market.searches.takes(client.name)) return respondDirect(tooManyWaiting);
            const charge = limits.charge(client, costOfCycles(maxHops), COSTS.read);
            const cost = yield* AnswerCost;
            cost.charge = charge;
            const refusal = refusalOf(charge);
            if (refusal !== undefined) return respondDirect(refusal);
          }
          const found = yield* Effect.promise(
            () => known ?? market.cycles.search(token, maxHops, client.name),
          );
          if (found === undefined) return yield* new NotReady({ detail: OUTRUN });
          return respondFresh(CycleList, { result: found.slice(0, limit) });
        }),
      });
  }),
);

/** The handler of a direct route. */
type DirectAnswer = QuoteHandler["Service"]["handle"];

interface RawRequest {
  readonly params: { readonly network: string };
  readonly request: HttpServerRequest.HttpServerRequest;
}

/** The text after `?`, as sent; empty without one. */
function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}

/** The market of a network by its id, if it can answer now. */
function openFor(networks: Networks["Service"]) {
  return Effect.fnUntraced(function* (
    id: string,
  ): Effect.fn.Return<Opened, UnknownNetwork | NotReady> {
    const network = networks.byId(id);
    if (network === undefined) {
      return yield* new UnknownNetwork({ detail: "The service has no such network" });
    }
    const { market } = network;
    const obstacle = network.obstacle(yield* Clock.currentTimeMillis);
    if (market === undefined || obstacle !== undefined) {
      const detail = `${id} is not ready: ${obstacle ?? "starting"}`;
      return yield* new NotReady({ detail });
    }
    return { network, market };
  });
}

function findToken(
  { config }: Network,
  market: NetworkMarket,
  address: string,
): Effect.Effect<TokenIndex, UnknownToken> {
  const token = tokenAt(config, market, address);
  if (token !== undefined) return Effect.succeed(token);
  return Effect.fail(new UnknownToken({ detail: `${config.id} has no token ${address}` }));
}

/** The token where cycles begin: the requested one, or the wrapped native one. */
function startToken({ config }: Network, token = config.wrappedNative) {
  if (token !== undefined) return Effect.succeed(token);
  const detail = `${config.id} has no wrapped native token: say which token`;
  const issue = issueAt({ code: "invalid_type", message: "Required" }, ["token"]);
  return Effect.fail(new InvalidRequest({ detail, issues: [issue] }));
}

const OUTRUN = "Blocks come sooner than cycles can be searched: ask again";

const dexEntries = ({ engine, labels, dexPools }: NetworkMarket) =>
  engine.graph.dexes.map(({ id, name, protocol }, index) => ({
    dexId: id,
    name,
    protocol,
    factory: labels.factory(index),
    pools: dexPools.of(index),
  }));

import {
  Api,
  DexList,
  isNativeToken,
  NotReady,
  PriceAnswer,
  TokenEntryAnswer,
  UnknownNetwork,
  UnknownToken,
} from "@millrace/api";
import type { TokenIndex } from "@millrace/core";
import { Clock, Effect, Stream } from "effect";
import { type HttpServerRequest, HttpServerResponse } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { NO_STORE, respondDirect, respondFresh, respondJson } from "../answers/responses.ts";
import { Limits } from "../limits/Limits.ts";
import type { Network } from "../networks/Network.ts";
import type { NetworkMarket } from "../networks/NetworkMarket.ts";
import { Networks } from "../networks/Networks.ts";
import { nativeEntry, tokenEntry } from "../networks/tokenEntry.ts";
import { QuoteHandler } from "../quote/QuoteHandler.ts";
import { SwapHandler } from "../swap/SwapHandler.ts";

/** The swap interface of each network (section 3 of the contract). */
export const swapRoutes = HttpApiBuilder.group(
  Api,
  "swap",
  Effect.fnUntraced(function* (handlers) {
    const open = openFor(yield* Networks);
    const { clientOf } = yield* Limits;
    const quoteHandler = yield* QuoteHandler;
    const swapHandler = yield* SwapHandler;
    // Direct routes answer the three POSTs of a network's path as it is written as a rule. What comes
    // here has the path in another form (`/ETH/%71uote`, `/ETH/quote/`), or a network that is none.
    const handleRaw = (answer: DirectAnswer) =>
      Effect.fnUntraced(function* ({ params, request }: RawRequest) {
        const body = yield* Effect.orDie(request.text);
        const query = queryOf(request.url);
        const given = answer(params.network, body, query, clientOf(request));
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
        tokenList: Effect.fnUntraced(function* ({ params }) {
          const { network, market } = yield* open(params.network);
          const native = nativeEntry(network.config, market);
          return listOf(
            native === undefined ? undefined : JSON.stringify(native.address),
            market.data.routableTokens(),
            (token) => `"${market.texts.token(token)}"`,
          );
        }),
        tokenListWithDetails: Effect.fnUntraced(function* ({ params }) {
          const { network, market } = yield* open(params.network);
          const native = nativeEntry(network.config, market);
          return listOf(
            native === undefined ? undefined : JSON.stringify(native),
            market.data.routableTokens(),
            (token) => JSON.stringify(tokenEntry(market, token)),
          );
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
      });
  }),
);

/** How direct routes are answered. */
type DirectAnswer = QuoteHandler["Service"]["handle"];

interface RawRequest {
  readonly params: { readonly network: string };
  readonly request: HttpServerRequest.HttpServerRequest;
}

interface Opened {
  readonly network: Network;
  readonly market: NetworkMarket;
}

/** What follows `?`, as sent; empty when there is none. */
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
  { engine }: NetworkMarket,
  address: string,
): Effect.Effect<TokenIndex, UnknownToken> {
  const wrapped = isNativeToken(address) ? (config.wrappedNative ?? "") : address;
  const token = engine.graph.findToken(wrapped);
  if (token !== undefined) return Effect.succeed(token);
  return Effect.fail(new UnknownToken({ detail: `${config.id} has no token ${address}` }));
}

const dexEntries = ({ engine, labels, dexPools }: NetworkMarket) =>
  engine.graph.dexes.map(({ id, name, protocol }, index) => ({
    dexId: id,
    name,
    protocol,
    factory: labels.factory(index),
    pools: dexPools.of(index),
  }));

/**
 * `{"result":[…]}` of all tokens, in slices: a large market has tens of thousands, and no request
 * may hold the event loop for that long.
 */
function listOf(
  first: string | undefined,
  tokens: ReadonlyArray<TokenIndex>,
  write: (token: TokenIndex) => string,
) {
  const slices = Stream.range(0, Math.floor(tokens.length / SLICE)).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((slice) => {
      const part = tokens.slice(slice * SLICE, (slice + 1) * SLICE).map(write);
      if (slice === 0 && first !== undefined) part.unshift(first);
      const text = part.join(",");
      const separator = slice === 0 || text === "" ? "" : ",";
      // Lets other requests in between two slices.
      return Effect.as(Effect.yieldNow, encoder.encode(separator + text));
    }),
  );
  const body = Stream.make(encoder.encode('{"result":[')).pipe(
    Stream.concat(slices),
    Stream.concat(Stream.make(encoder.encode("]}"))),
  );
  return HttpServerResponse.stream(body, { contentType: "application/json", headers: NO_STORE });
}

const SLICE = 500;
const encoder = new TextEncoder();

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
import { Limits } from "../limits/Limits.ts";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import { nativeEntry, tokenEntry } from "../networks/tokenEntry.ts";
import { QuoteHandler } from "../quote/QuoteHandler.ts";
import { SwapHandler } from "../swap/SwapHandler.ts";
import { NO_STORE, respond, respondFresh, respondJson } from "./responses.ts";

/** The swap interface of each network (section 3 of the contract). */
export const swapRoutes = HttpApiBuilder.group(
  Api,
  "swap",
  Effect.fnUntraced(function* (handlers) {
    const open = openFor(yield* Networks);
    const { clientOf } = yield* Limits;
    const quoteHandler = yield* QuoteHandler;
    const swapHandler = yield* SwapHandler;
    const answerSwap = (path: "swap" | "permit") =>
      Effect.fnUntraced(function* ({ params, request }: RawRequest) {
        const body = yield* Effect.orDie(request.text);
        const client = clientOf(request);
        return respond(yield* swapHandler.handle(path, params.network, body, "", client));
      });
    return handlers
      .handleRaw(
        // Direct routes answer before this and the next two, which are for servers that have none.
        "quote",
        Effect.fnUntraced(function* ({ params, request }) {
          const body = yield* Effect.orDie(request.text);
          const answer = quoteHandler.handle(params.network, body, "", clientOf(request));
          return respond(Effect.isEffect(answer) ? yield* answer : answer);
        }),
      )
      .handleRaw("swap", answerSwap("swap"))
      .handleRaw("permit", answerSwap("permit"))
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

interface RawRequest {
  readonly params: { readonly network: string };
  readonly request: HttpServerRequest.HttpServerRequest;
}

interface Opened {
  readonly network: Network;
  readonly market: OpenMarket;
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
  { engine }: OpenMarket,
  address: string,
): Effect.Effect<TokenIndex, UnknownToken> {
  const wrapped = isNativeToken(address) ? (config.wrappedNative ?? "") : address;
  const token = engine.graph.findToken(wrapped);
  if (token !== undefined) return Effect.succeed(token);
  return Effect.fail(new UnknownToken({ detail: `${config.id} has no token ${address}` }));
}

const dexEntries = ({ engine, labels, dexPools }: OpenMarket) =>
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

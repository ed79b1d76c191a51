import {
  Api,
  CandleList,
  isNativeToken,
  issueAt,
  MarketInvalid,
  MarketNotFound,
  MarketNotReady,
  type NetworkChoice,
  PoolAnswer,
  TokenPriceAnswer,
  TradeList,
} from "@millrace/api";
import type { PoolIndex } from "@millrace/core";
import type { HistoryError } from "@millrace/history";
import type { CandleInterval, CandleRange, PoolPair } from "@millrace/market";
import { Clock, Effect } from "effect";
import type { HttpServerRequest } from "effect/http";
import { HttpApiBuilder } from "effect/http-api";
import { respondDirect, respondFresh } from "../answers/responses.ts";
import {
  candlesOfPool,
  candlesOfToken,
  tradesOfNetwork,
  tradesOfPool,
  tradesOfToken,
} from "../history/marketRecords.ts";
import { TOO_MANY_READS } from "../history/NetworkHistory.ts";
import { Limits } from "../limits/Limits.ts";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import { tokenAt } from "../networks/tokenEntry.ts";
import { poolPageText, tokenPageText, tokenSearchText } from "./listParts.ts";
import { type MarketRefusal, marketOf, nothingAt, type Opened } from "./marketOf.ts";
import {
  candleBody,
  marketTradeBody,
  poolBody,
  poolToken,
  priceBody,
  tradeBody,
} from "./marketViews.ts";
import { listResponder } from "./respondList.ts";
import { TokenHandler } from "./TokenHandler.ts";

/** The market-data interface (section 2 of the contract). */
export const marketRoutes = HttpApiBuilder.group(
  Api,
  "market",
  Effect.fnUntraced(function* (handlers) {
    const networks = yield* Networks;
    const open = openFor(networks);
    const { tokenIn, poolIn } = finders(networks);
    const tokenHandler = yield* TokenHandler;
    const limits = yield* Limits;
    const respondList = listResponder(limits);
    const clientOf = (request: HttpServerRequest.HttpServerRequest) =>
      limits.clientOf(request).name;
    const candlesAsked = (
      request: HttpServerRequest.HttpServerRequest,
      { interval, fill }: { readonly interval: CandleInterval; readonly fill?: "true" | "false" },
      range: CandleRange,
    ) => ({ client: clientOf(request), interval, range, fill: fill === "true" });
    return handlers.handleAll({
      tokens: Effect.fnUntraced(function* ({ query: { network, chainId, ...query }, request }) {
        const opened = yield* open({ network, chainId });
        return yield* respondList(request, opened, tokenPageText(opened, query));
      }),
      searchTokens: Effect.fnUntraced(function* ({ params, query, request }) {
        const opened = yield* open(query);
        const list = tokenSearchText(opened, params.query, query.limit);
        return yield* respondList(request, opened, list);
      }),
      // The direct route answers the usual form of the path; this one its other forms.
      token: ({ params, query }) =>
        Effect.sync(() => respondDirect(tokenHandler.answer({ ...params, ...query }))),
      tokenPrice: Effect.fnUntraced(function* ({ params, query }) {
        const opened = yield* open(query);
        const token = yield* tokenIn(opened, params.address);
        const data = priceBody(opened.network, opened.market, token);
        return respondFresh(TokenPriceAnswer, { success: true, data });
      }),
      tokenCandles: Effect.fnUntraced(function* ({ params, query, request }) {
        const range = yield* rangeOf(query);
        const opened = yield* open(query);
        const token = yield* tokenIn(opened, params.address);
        const asked = candlesAsked(request, query, range);
        const candles = yield* Effect.catch(candlesOfToken(opened, token, asked), unreadable);
        return respondFresh(CandleList, { success: true, data: candles.map(candleBody) });
      }),
      tokenTrades: Effect.fnUntraced(function* ({ params, query, request }) {
        const opened = yield* open(query);
        const { network, market } = opened;
        const token = yield* tokenIn(opened, params.address);
        const asked = { client: clientOf(request), ...(yield* timesOf(query)) };
        const trades = yield* Effect.catch(tradesOfToken(opened, token, asked), unreadable);
        const data = trades.map((trade) => marketTradeBody(network, market, trade));
        return respondFresh(TradeList, { success: true, data });
      }),
      trades: Effect.fnUntraced(function* ({ query, request }) {
        const { transaction, ...which } = yield* timesOf(query);
        const opened = yield* open(query);
        const { network, market } = opened;
        const asked = { client: clientOf(request), ...which };
        const trades = yield* Effect.catch(tradesOfNetwork(opened, transaction, asked), unreadable);
        const data = trades.map((trade) => marketTradeBody(network, market, trade));
        return respondFresh(TradeList, { success: true, data });
      }),
      pools: Effect.fnUntraced(function* ({ query: { network, chainId, ...query }, request }) {
        const opened = yield* open({ network, chainId });
        const list = poolPageText(opened, withoutNative(opened.network, query));
        return yield* respondList(request, opened, list);
      }),
      pool: Effect.fnUntraced(function* ({ params, query }) {
        const opened = yield* open(query);
        const { network, market } = opened;
        const pool = yield* poolIn(opened, params.address);
        const view = market.data.pool(pool);
        if (view === undefined) {
          return yield* refused(nothingAt(networks, network, "pool", params.address));
        }
        return respondFresh(PoolAnswer, {
          success: true,
          data: {
            ...poolBody(network, market, view),
            token0Details: poolToken(network, market, view.token0),
            token1Details: poolToken(network, market, view.token1),
          },
        });
      }),
      poolCandles: Effect.fnUntraced(function* ({ params, query, request }) {
        const range = yield* rangeOf(query);
        const opened = yield* open(query);
        const pool = yield* poolIn(opened, params.address);
        const pair = yield* pairOf(opened, pool, query);
        const asked = candlesAsked(request, query, range);
        const candles = yield* Effect.catch(candlesOfPool(opened, pool, pair, asked), unreadable);
        return respondFresh(CandleList, { success: true, data: candles.map(candleBody) });
      }),
      poolTrades: Effect.fnUntraced(function* ({ params, query, request }) {
        const opened = yield* open(query);
        const { network, market } = opened;
        const pool = yield* poolIn(opened, params.address);
        const pair = yield* pairOf(opened, pool, query);
        const asked = { client: clientOf(request), ...(yield* timesOf(query)) };
        const trades = yield* Effect.catch(tradesOfPool(opened, pool, pair, asked), unreadable);
        const poolAddress = market.texts.pool(pool);
        const data = trades.map((trade) => tradeBody(network, poolAddress, trade));
        return respondFresh(TradeList, { success: true, data });
      }),
    });
  }),
);

/** The market of the named network, by default the primary one, if it can answer now. */
function openFor(networks: Networks["Service"]) {
  return Effect.fnUntraced(function* (choice: NetworkChoice) {
    const opened = marketOf(networks, choice, yield* Clock.currentTimeMillis);
    return "status" in opened ? yield* refused(opened) : opened;
  });
}

/** Finds tokens and pools at the addresses of paths; a refusal says where else they are. */
function finders(networks: Networks["Service"]) {
  return {
    tokenIn: ({ network, market }: Opened, address: string) => {
      const token = tokenAt(network.config, market, address);
      return token === undefined
        ? refused(nothingAt(networks, network, "token", address))
        : Effect.succeed(token);
    },
    poolIn: ({ network, market }: Opened, address: string) => {
      const pool = market.engine.graph.findPool(address);
      return pool === undefined
        ? refused(nothingAt(networks, network, "pool", address))
        : Effect.succeed(pool);
    },
  };
}

/** Filters by the wrapped form instead of the native token. */
function withoutNative<Query extends { readonly token?: string }>(
  { config }: Network,
  query: Query,
): Query {
  const { token } = query;
  if (token === undefined || !isNativeToken(token)) return query;
  return { ...query, token: config.wrappedNative ?? token };
}

/** The two tokens of a pool that a query names; by default its first ones. */
function pairOf(
  { network: { config }, market }: Opened,
  pool: PoolIndex,
  { base, quote }: { readonly base?: string; readonly quote?: string },
): Effect.Effect<PoolPair, MarketInvalid> {
  const { graph } = market.engine;
  const positionOf = (address: string | undefined) => {
    if (address === undefined) return undefined;
    const token = tokenAt(config, market, address);
    return token === undefined ? NOT_IN_POOL : graph.poolPosition(pool, token);
  };
  const found = { base: positionOf(base), quote: positionOf(quote) };
  for (const name of ["base", "quote"] as const) {
    if (found[name] === NOT_IN_POOL) return refusedPair(name, "Not a token of the pool");
  }
  const baseAt = found.base ?? (found.quote === 0 ? 1 : 0);
  const quoteAt = found.quote ?? (baseAt === 0 ? 1 : 0);
  if (baseAt === quoteAt) return refusedPair("quote", "The same token as `base`");
  return Effect.succeed({
    base: graph.poolToken(pool, baseAt),
    quote: graph.poolToken(pool, quoteAt),
  });
}

const NOT_IN_POOL = -1;

function refusedPair(name: "base" | "quote", message: string) {
  const issue = issueAt({ code: "invalid_value", message }, [name]);
  return Effect.fail(new MarketInvalid({ error: [issue] }));
}

function refused({
  status,
  issues,
}: MarketRefusal): Effect.Effect<never, MarketInvalid | MarketNotFound | MarketNotReady> {
  const failures = { 400: MarketInvalid, 404: MarketNotFound, 503: MarketNotReady };
  return Effect.fail(new failures[status]({ error: issues }));
}

interface CandleQuery {
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

/** A range that ends before it begins is a client's mistake, not an empty list. */
function timesOf<Query extends { readonly from?: number; readonly to?: number }>(query: Query) {
  const { from, to } = query;
  if (from !== undefined && to !== undefined && to < from) {
    const issue = {
      origin: "number",
      code: "too_small",
      minimum: from,
      inclusive: true,
      message: "Too small: at least `from`",
    } as const;
    return Effect.fail(new MarketInvalid({ error: [issueAt(issue, ["to"])] }));
  }
  return Effect.succeed(query);
}

const rangeOf = (query: CandleQuery) =>
  Effect.map(timesOf(query), ({ from, to, limit }) => ({
    limit,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  }));

/** The history cannot be read now: an answer from memory alone would look complete. */
const unreadable = (error: HistoryError) => {
  const isBusy = error === TOO_MANY_READS;
  const message = isBusy ? "Too many reads of the history wait" : "The history cannot be read now";
  const refusal = refused({ status: 503, issues: [issueAt({ code: "not_ready", message }, [])] });
  if (isBusy) return refusal;
  const { reason, detail } = error;
  const warning = Effect.logWarning("the history cannot be read");
  return Effect.andThen(Effect.annotateLogs(warning, { reason, detail }), refusal);
};

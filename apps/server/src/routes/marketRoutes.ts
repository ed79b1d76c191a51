import {
  Api,
  type Issue,
  issueAt,
  MarketNotFound,
  MarketNotReady,
  PoolAnswer,
  PoolList,
  TokenAnswer,
  TokenList,
  TokenPriceAnswer,
  TokenSearch,
} from "@millrace/api";
import { Clock, Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import type { Network } from "../networks/Network.ts";
import { Networks } from "../networks/Networks.ts";
import type { OpenMarket } from "../networks/openMarket.ts";
import {
  poolBodies,
  poolBody,
  poolToken,
  priceBody,
  tokenBody,
  tokenEntries,
} from "./marketViews.ts";
import { respondFresh } from "./responses.ts";

/** The market-data interface (section 2 of the contract). */
export const marketRoutes = HttpApiBuilder.group(
  Api,
  "market",
  Effect.fnUntraced(function* (handlers) {
    const networks = yield* Networks;
    const open = openFor(networks);
    return handlers.handleAll({
      tokens: Effect.fnUntraced(function* ({ query }) {
        const { chainId, page, limit, sort, ...filters } = query;
        const { network, market } = yield* open(chainId);
        const { items, total } = market.data.tokens({ page, limit, sort, ...filters });
        return respondFresh(TokenList, {
          success: true,
          data: yield* tokenEntries(network, items),
          pagination: pagination(page, limit, total),
          filters,
        });
      }),
      searchTokens: Effect.fnUntraced(function* ({ params, query }) {
        const { network, market } = yield* open(query.chainId);
        const { items, total } = market.data.search(params.query, query.limit);
        return respondFresh(TokenSearch, {
          success: true,
          data: yield* tokenEntries(network, items),
          total,
          query: params.query,
        });
      }),
      token: Effect.fnUntraced(function* ({ params, query }) {
        const { network, market } = yield* open(query.chainId);
        const token = market.engine.graph.findToken(params.address);
        if (token === undefined) return yield* nothingAt("token", params.address);
        const data = tokenBody(network, market.data.token(token));
        return respondFresh(TokenAnswer, { success: true, data });
      }),
      tokenPrice: Effect.fnUntraced(function* ({ params, query }) {
        const { network, market } = yield* open(query.chainId);
        const token = market.engine.graph.findToken(params.address);
        if (token === undefined) return yield* nothingAt("token", params.address);
        const data = priceBody(network, market, token);
        return respondFresh(TokenPriceAnswer, { success: true, data });
      }),
      pools: Effect.fnUntraced(function* ({ query }) {
        const { chainId, page, limit, sort, ...filters } = query;
        const { network, market } = yield* open(chainId);
        const { items, total } = market.data.pools({ page, limit, sort, ...filters });
        return respondFresh(PoolList, {
          success: true,
          data: yield* poolBodies(network, market, items),
          pagination: pagination(page, limit, total),
        });
      }),
      pool: Effect.fnUntraced(function* ({ params, query }) {
        const { network, market } = yield* open(query.chainId);
        const pool = market.engine.graph.findPool(params.address);
        const view = pool === undefined ? undefined : market.data.pool(pool);
        if (view === undefined) return yield* nothingAt("pool", params.address);
        return respondFresh(PoolAnswer, {
          success: true,
          data: {
            ...poolBody(network, market, view),
            token0Details: poolToken(network, market, view.token0),
            token1Details: poolToken(network, market, view.token1),
          },
        });
      }),
    });
  }),
);

interface Opened {
  readonly network: Network;
  readonly market: OpenMarket;
}

/** The market of a chain, of the primary network when none is named, if it can answer now. */
function openFor(networks: Networks["Service"]) {
  return Effect.fnUntraced(function* (
    chainId: number | undefined,
  ): Effect.fn.Return<Opened, MarketNotFound | MarketNotReady> {
    const network = chainId === undefined ? networks.primary : networks.byChainId(chainId);
    if (network === undefined) {
      const message = `No network has the chain id ${chainId}`;
      return yield* new MarketNotFound({ error: issue("not_found", ["chainId"], message) });
    }
    const { market } = network;
    const obstacle = network.obstacle(yield* Clock.currentTimeMillis);
    if (market === undefined || obstacle !== undefined) {
      const message = `${network.config.id} is not ready: ${obstacle ?? "starting"}`;
      return yield* new MarketNotReady({ error: issue("not_ready", [], message) });
    }
    return { network, market };
  });
}

const nothingAt = (what: "token" | "pool", address: string) =>
  new MarketNotFound({ error: issue("not_found", ["address"], `No ${what} at ${address}`) });

const issue = (code: Issue["code"], path: ReadonlyArray<string>, message: string) => [
  issueAt({ code, message }, path),
];

function pagination(page: number, limit: number, total: number) {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 };
}

import type { CANDLE_INTERVALS, POOL_SORT_FIELDS, TOKEN_SORT_FIELDS } from "@millrace/api";
import { Effect } from "effect";
import { wrongUsage } from "../CommandError.ts";
import { namesPool } from "../flags.ts";
import { dollarFigure, feePercent, figure } from "../output/decimalAmounts.ts";
import { plainText } from "../output/plainText.ts";
import { findToken } from "../service/findToken.ts";
import type { MarketFlags } from "../service/MarketFlags.ts";
import { ServiceAccess } from "../service/ServiceAccess.ts";
import { tradeAmounts } from "../service/tradeAmounts.ts";

/** The part of a list to show, and its order. */
export interface ListWords<Field extends string> {
  readonly limit: number;
  readonly page: number;
  readonly sort: Field | `-${Field}`;
}

/** Tokens of the network; with a query, those that match it. */
export const showTokens = Effect.fnUntraced(function* (
  flags: MarketFlags,
  query: string,
  { limit, page, sort }: ListWords<(typeof TOKEN_SORT_FIELDS)[number]>,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output } = access;
  const list =
    query === ""
      ? yield* access.ask((http) =>
          http.market.tokens({ query: { limit, page, sort, ...access.query } }),
        )
      : yield* access.ask((http) =>
          http.market.searchTokens({ params: { query }, query: { limit, ...access.query } }),
        );
  if (output.isJson) return output.json(list);
  output.table(
    [
      { title: "symbol", cell: ({ symbol }) => plainText(symbol) },
      { title: "price", cell: ({ price }) => dollarFigure(price), isRight: true },
      { title: "address", cell: ({ address }) => plainText(address) },
      {
        title: "liquidity",
        cell: ({ liquidity }) => dollarFigure(liquidity),
        ...{ isRight: true, isOptional: true },
      },
      {
        title: "volume 24 h",
        cell: ({ volume24h }) => dollarFigure(volume24h),
        ...{ isRight: true, isOptional: true },
      },
      { title: "name", cell: ({ name }) => plainText(name), isOptional: true },
    ],
    list.data,
  );
});

/** Pools of the network, or of a token or a DEX of it. */
export const showPools = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { token, dex }: { readonly token: string; readonly dex: string },
  { limit, page, sort }: ListWords<(typeof POOL_SORT_FIELDS)[number]>,
) {
  const access = yield* ServiceAccess.open(flags);
  const { output, params } = access;
  const filter = {
    ...(token !== "" && { token: (yield* findToken(access, token)).address }),
    ...(dex !== "" && { dex }),
  };
  const query = { limit, page, sort, ...filter, ...access.query };
  const list = yield* access.ask((http) => http.market.pools({ query }));
  if (output.isJson) return output.json(list);
  const { result } = yield* access.ask((http) => http.swap.tokenListWithDetails({ params }));
  const symbols = new Map(
    result.map(({ contractAddress, symbol }) => [contractAddress.toLowerCase(), plainText(symbol)]),
  );
  const symbolOf = (address: string) => symbols.get(address) ?? plainText(address);
  output.table(
    [
      {
        title: "tokens",
        cell: ({ token0, token1, tokens = [token0, token1] }) => tokens.map(symbolOf).join("/"),
      },
      { title: "fee", cell: ({ fee }) => feePercent(fee), isRight: true },
      { title: "pool", cell: ({ poolId, poolAddress }) => plainText(poolId ?? poolAddress) },
      {
        title: "liquidity",
        cell: ({ liquidityUsd }) => dollarFigure(liquidityUsd),
        ...{ isRight: true, isOptional: true },
      },
      {
        title: "volume 24 h",
        cell: ({ volume24h }) => dollarFigure(volume24h),
        ...{ isRight: true, isOptional: true },
      },
      { title: "DEX", cell: ({ dexName }) => plainText(dexName), isOptional: true },
    ],
    list.data,
  );
});

/** The token or pool, and which of its candles to show. */
export interface CandleWords {
  readonly token: string;
  /** `token` names a pool. */
  readonly pool: boolean;
  readonly interval: (typeof CANDLE_INTERVALS)[number];
  readonly limit: number;
}

/** Candles of a token, in US dollars; of a pool, in token1 for one token0. */
export const showCandles = Effect.fnUntraced(function* (
  flags: MarketFlags,
  { token, pool, interval, limit }: CandleWords,
) {
  if (pool && !namesPool(token))
    return yield* wrongUsage(`${token} is no pool: an address or an id is wanted`);
  const access = yield* ServiceAccess.open(flags, { withPast: true });
  const { output } = access;
  const address = pool ? token : (yield* findToken(access, token)).address;
  const asked = { params: { address }, query: { interval, limit, ...access.query } };
  const list = yield* access.ask((http) =>
    pool ? http.market.poolCandles(asked) : http.market.tokenCandles(asked),
  );
  if (output.isJson) return output.json(list);
  const number = (title: "open" | "high" | "low" | "close", isOptional = false) => ({
    title,
    cell: (candle: (typeof list.data)[number]) => figure(candle[title]),
    ...{ isRight: true, isOptional },
  });
  output.table(
    [
      { title: "from", cell: ({ timestamp }) => timeText(timestamp) },
      number("open", true),
      number("high", true),
      number("low", true),
      number("close"),
      {
        title: "volume",
        cell: ({ volume }) => dollarFigure(volume),
        ...{ isRight: true, isOptional: true },
      },
    ],
    list.data,
  );
});

/** The newest swaps of a pool. */
export const showTrades = Effect.fnUntraced(function* (
  flags: MarketFlags,
  address: string,
  limit: number,
) {
  const access = yield* ServiceAccess.open(flags, { withPast: true });
  const { output, query } = access;
  const asked = { params: { address }, query: { limit, ...query } };
  const list = yield* access.ask((http) => http.market.poolTrades(asked));
  if (output.isJson) return output.json(list);
  const amount = yield* tradeAmounts(access, address);
  output.table(
    [
      { title: "time", cell: ({ timestamp }) => timeText(timestamp), isOptional: true },
      { title: "sold", cell: ({ amountIn, tokenIn }) => amount(amountIn, tokenIn) },
      { title: "bought", cell: ({ amountOut, tokenOut }) => amount(amountOut, tokenOut) },
      {
        title: "value",
        cell: ({ valueUsd }) => dollarFigure(valueUsd),
        ...{ isRight: true, isOptional: true },
      },
      {
        title: "transaction",
        cell: ({ transactionHash }) => plainText(transactionHash),
        isOptional: true,
      },
    ],
    list.data,
  );
});

/** UTC, to the minute: what candles and people need. */
const timeText = (timestamp: number): string =>
  new Date(timestamp).toISOString().slice(0, 16).replace("T", " ");

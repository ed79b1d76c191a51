import type { Address, PoolIndex, TokenIndex } from "@millrace/core";
import type { HistoryError } from "@millrace/history";
import type { Candle, PoolPair, Trade, TradeParties } from "@millrace/market";
import type { Effect } from "effect";
import type { Opened } from "../routes/marketOf.ts";
import { type CandlesAsked, candlesOf, candlesOfPair } from "./candlesOf.ts";
import { type TradesAsked, tradesOf } from "./tradesOf.ts";

/** Which candles, whatever they are of. */
export type CandleQuestion = Pick<CandlesAsked, "client" | "interval" | "range" | "fill">;
/** Which trades, whatever they are of. */
export type TradeQuestion = Pick<
  TradesAsked,
  "client" | "limit" | "before" | "from" | "to" | "maker"
>;

type Candles = Effect.Effect<ReadonlyArray<Candle>, HistoryError>;
type Trades = Effect.Effect<ReadonlyArray<Trade>, HistoryError>;

/** In US dollars. */
export function candlesOfToken(opened: Opened, token: TokenIndex, asked: CandleQuestion): Candles {
  const { data, engine } = opened.market;
  return candlesOf(opened, {
    ...asked,
    inMemory: (within) => data.tokenCandles(token, asked.interval, within),
    of: { kind: "token", token: engine.graph.tokenAddress(token) },
    convert: (candle) => candle,
  });
}

/** In the quote for one base, in whole tokens. */
export function candlesOfPool(
  opened: Opened,
  pool: PoolIndex,
  pair: PoolPair,
  asked: CandleQuestion,
): Candles {
  const { data, engine } = opened.market;
  return candlesOf(opened, {
    ...asked,
    inMemory: (within) => data.poolCandles(pool, asked.interval, within, pair),
    ...candlesOfPair(engine.graph, pool, pair),
  });
}

/** Of all pools that took the token or paid it out, which is the base. */
export function tradesOfToken(opened: Opened, token: TokenIndex, asked: TradeQuestion): Trades {
  const { data, engine } = opened.market;
  const address = engine.graph.tokenAddress(token);
  return tradesOf(opened, {
    ...asked,
    of: { kind: "token", address },
    base: address,
    inMemory: (limit, before) => data.tokenTrades(token, limit, before),
  });
}

/** Between two tokens of a pool. */
export function tradesOfPool(
  opened: Opened,
  pool: PoolIndex,
  pair: PoolPair,
  asked: TradeQuestion,
): Trades {
  const { data, engine } = opened.market;
  const { graph } = engine;
  const [base, quote] = [graph.tokenAddress(pair.base), graph.tokenAddress(pair.quote)];
  return tradesOf(opened, {
    ...asked,
    of: { kind: "pool", address: graph.poolAddress(pool) },
    pair: [base, quote],
    base,
    inMemory: (limit, before) => data.trades(pool, limit, before, pair),
  });
}

/**
 * Of the whole network: those of a transaction, of a maker, or all; the last are those that memory
 * holds.
 */
export function tradesOfNetwork(
  opened: Opened,
  transaction: string | undefined,
  asked: TradeQuestion,
): Trades {
  const { maker, ...others } = asked;
  return tradesOf(opened, {
    ...others,
    // Of a history it is what trades are found by, unless a transaction is.
    maker: transaction === undefined ? undefined : maker,
    of: makerOrTransaction(transaction, maker),
    inMemory: (limit, before) =>
      opened.market.data.networkTrades(limit, before, isOf(transaction, maker)),
  });
}

function makerOrTransaction(transaction: string | undefined, maker: string | undefined) {
  if (transaction !== undefined) {
    return { kind: "transaction", hash: transaction.toLowerCase() } as const;
  }
  if (maker === undefined) return undefined;
  return { kind: "maker", address: maker.toLowerCase() as Address } as const;
}

function isOf(transaction: string | undefined, maker: string | undefined) {
  const [hash, wanted] = [transaction?.toLowerCase(), maker?.toLowerCase()];
  return (trade: TradeParties) =>
    (hash === undefined || trade.transactionHash === hash) &&
    (wanted === undefined || trade.maker === wanted);
}

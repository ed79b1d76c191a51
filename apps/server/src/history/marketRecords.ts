import type { Address, PoolIndex, TokenIndex } from "@millrace/core";
import type { HistoryError } from "@millrace/history";
import type { Candle, PoolPair, Trade, TradeParties } from "@millrace/market";
import type { Effect } from "effect";
import type { Opened } from "../routes/marketOf.ts";
import { type CandlesAsked, candlesOf, candlesOfPair } from "./candlesOf.ts";
import { type TradesAsked, tradesOf } from "./tradesOf.ts";

/** Which candles, of any subject. */
export type CandleQuestion = Pick<CandlesAsked, "client" | "interval" | "range" | "fill">;
/** Which trades, of any subject. */
export type TradeQuestion = Pick<
  TradesAsked,
  "client" | "limit" | "before" | "from" | "to" | "maker"
>;

type Candles = Effect.Effect<ReadonlyArray<Candle>, HistoryError>;
type Trades = Effect.Effect<ReadonlyArray<Trade>, HistoryError>;

/** The candles of a token, in US dollars. */
export function candlesOfToken(opened: Opened, token: TokenIndex, asked: CandleQuestion): Candles {
  const { data, engine } = opened.market;
  return candlesOf(opened, {
    ...asked,
    inMemory: (within) => data.tokenCandles(token, asked.interval, within),
    of: { kind: "token", token: engine.graph.tokenAddress(token) },
    convert: (candle) => candle,
  });
}

/** The candles of a pair of a pool, in whole tokens of the quote for one base. */
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

/** The trades of all pools that took the token in or paid it out; the token is the base. */
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

/** The trades between two tokens of a pool. */
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
 * The trades of the whole network: those of a transaction, of a maker, or all. All are only those
 * in memory.
 */
export function tradesOfNetwork(
  opened: Opened,
  transaction: string | undefined,
  asked: TradeQuestion,
): Trades {
  const { maker, ...others } = asked;
  return tradesOf(opened, {
    ...others,
    // The history finds trades by maker, unless a transaction is given.
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

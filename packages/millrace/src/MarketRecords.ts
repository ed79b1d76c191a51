import { CANDLE_INTERVALS } from "@millrace/api";
import type { BlockStamp, PoolIndex } from "@millrace/core";
import {
  candlesOfPool,
  candlesOfToken,
  type Opened,
  tradesOfNetwork,
  tradesOfPool,
  tradesOfToken,
} from "@millrace/server";
import { Effect } from "effect";
import { invalidCall, MillraceError } from "./MillraceError.ts";
import type { PendingCalls } from "./PendingCalls.ts";
import { NAME_SHOWN, readArguments } from "./readArguments.ts";
import type { TokenNames } from "./TokenNames.ts";

/** A token, or two tokens of a pool. */
export type RecordSubject =
  /** An address or an unambiguous symbol. */
  | { readonly token: string }
  | {
      /** The pool's address, or its id of 32 bytes. */
      readonly pool: string;
      /** Tokens of the pool: by default its first two. */
      readonly base?: string;
      readonly quote?: string;
    };

interface TimeSpan {
  /** Unix ms, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export type CandleOptions = RecordSubject &
  TimeSpan & {
    /** Default `1h`. */
    readonly interval?: (typeof CANDLE_INTERVALS)[number];
    /** The newest so many: 1 to 50,000, default 50. */
    readonly limit?: number;
    /** Adds a candle of the last price, without volume, for each interval without trades. */
    readonly fill?: boolean;
  };

export type TradeOptions = (
  | RecordSubject
  /** The transaction's hash. */
  | { readonly transaction: string }
  /** Trades of the whole network: those of a maker or, without one, the newest in memory. */
  | { readonly token?: never; readonly pool?: never; readonly transaction?: never }
) &
  TimeSpan & {
    /** Only trades whose log names this address. */
    readonly maker?: string;
    /** Only trades before the one with this `id`. */
    readonly before?: string;
    /** The newest so many: 1 to 5,000, default 50. */
    readonly limit?: number;
  };

/**
 * Prices and volume of an interval: for a token in US dollars; for a pool, quote per whole base.
 */
export interface PriceCandle {
  readonly startMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volumeUsd: number;
}

/** One swap of a pool. */
export interface MarketTrade {
  /** Its place on the chain, unique, for `before`. */
  readonly id: string;
  readonly block: BlockStamp;
  readonly transactionHash: string;
  readonly logIndex: number;
  /** Address of the pool, or the first 20 bytes of a longer id. */
  readonly pool: string;
  /** What the pool took, and what it gave; in smallest units. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** 0 when neither token had a price. */
  readonly valueUsd: number;
  /**
   * `buy` where the pool gave the base: the requested token, else the one with the lower address.
   */
  readonly side: "buy" | "sell";
  /** The price paid for one base in the other token, in whole tokens; 0 when unknown. */
  readonly price: number;
  /** The address that the log names, if any. */
  readonly maker: string | undefined;
}

const CANDLES_MAX = 50_000;
const TRADES_MAX = 5_000;
const LIMIT_USUAL = 50;
/** The latest time that a Date can represent. */
const TIME_MAX = 8.64e15;
const CLIENT = "this process";

const CANDLE_NAMES = [
  ...(["token", "pool", "base", "quote", "fromMs", "toMs", "limit"] as const),
  ...(["interval", "fill"] as const),
];
const TRADE_NAMES = [
  ...(["token", "pool", "base", "quote", "fromMs", "toMs", "limit"] as const),
  ...(["transaction", "maker", "before"] as const),
];

type Given<Name extends string> = Partial<Record<Name, unknown>>;

/** Candles and trades, from memory and from the history, as in the service. */
export class MarketRecords {
  readonly #opened: Opened;
  readonly #tokens: TokenNames;
  readonly #calls: PendingCalls;

  constructor(opened: Opened, tokens: TokenNames, calls: PendingCalls) {
    this.#opened = opened;
    this.#tokens = tokens;
    this.#calls = calls;
  }

  candles(options: CandleOptions, signal?: AbortSignal): Promise<ReadonlyArray<PriceCandle>> {
    const given = readArguments(options, CANDLE_NAMES, "candles");
    const { interval = "1h", fill = false } = given;
    const length = CANDLE_INTERVALS.find((name) => name === interval);
    if (length === undefined) {
      throw invalidCall(`interval: expected one of ${CANDLE_INTERVALS.join(", ")}`);
    }
    if (typeof fill !== "boolean") throw invalidCall("fill: expected true or false");
    const { fromMs, toMs } = spanOf(given);
    const range = {
      limit: limitOf(given, CANDLES_MAX),
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
    };
    const asked = { client: CLIENT, interval: length, range, fill };
    const { token, pool } = this.#subjectOf(given);
    if (pool !== undefined) {
      return this.#run(candlesOfPool(this.#opened, pool.index, pool.pair, asked), signal);
    }
    if (token === undefined) throw invalidCall("candles: expected a token or a pool");
    return this.#run(candlesOfToken(this.#opened, token, asked), signal);
  }

  async trades(options: TradeOptions, signal?: AbortSignal): Promise<ReadonlyArray<MarketTrade>> {
    const given = readArguments(options, TRADE_NAMES, "trades");
    const { fromMs, toMs } = spanOf(given);
    const asked = {
      ...{ client: CLIENT, limit: limitOf(given, TRADES_MAX), from: fromMs, to: toMs },
      maker: textOf("maker", given.maker, IS_ADDRESS),
      before: textOf("before", given.before, IS_TRADE),
    };
    const transaction = textOf("transaction", given.transaction, IS_HASH);
    const { token, pool } = this.#subjectOf(given);
    if (transaction !== undefined && (token !== undefined || pool !== undefined)) {
      throw invalidCall("trades: expected one of token, pool and transaction");
    }
    const found =
      pool !== undefined
        ? tradesOfPool(this.#opened, pool.index, pool.pair, asked)
        : token !== undefined
          ? tradesOfToken(this.#opened, token, asked)
          : tradesOfNetwork(this.#opened, transaction, asked);
    const trades = await this.#run(found, signal);
    return trades.map(({ stamp, maker, ...trade }) => ({ ...trade, block: stamp, maker }));
  }

  #run<A>(
    effect: Effect.Effect<A, { readonly detail: string }>,
    signal: AbortSignal | undefined,
  ): Promise<A> {
    const coded = Effect.mapError(
      effect,
      ({ detail }) => new MillraceError("NOT_READY", `the history cannot be read: ${detail}`),
    );
    return this.#calls.run(coded, signal);
  }

  #subjectOf({ token, pool, base, quote }: Given<"token" | "pool" | "base" | "quote">) {
    if (pool === undefined) {
      if (base !== undefined || quote !== undefined) {
        throw invalidCall("base and quote are of a pool");
      }
      return { token: token === undefined ? undefined : this.#tokens.find(token as string).index };
    }
    if (token !== undefined) throw invalidCall("expected a token or a pool, not both");
    if (typeof pool !== "string") throw invalidCall("pool: expected its address or id");
    const index = this.#opened.market.engine.graph.findPool(pool);
    if (index === undefined) {
      throw new MillraceError("UNKNOWN_POOL", `no pool ${pool.slice(0, NAME_SHOWN)}`);
    }
    return { pool: { index, pair: this.#pairOf(index, base, quote) } };
  }

  #pairOf(pool: PoolIndex, base: unknown, quote: unknown) {
    const { graph } = this.#opened.market.engine;
    const positionOf = (name: string, token: unknown) => {
      if (token === undefined) return undefined;
      const position = graph.poolPosition(pool, this.#tokens.find(token as string).index);
      if (position < 0) throw invalidCall(`${name}: not a token of the pool`);
      return position;
    };
    const [asBase, asQuote] = [positionOf("base", base), positionOf("quote", quote)];
    const baseAt = asBase ?? (asQuote === 0 ? 1 : 0);
    const quoteAt = asQuote ?? (baseAt === 0 ? 1 : 0);
    if (baseAt === quoteAt) throw invalidCall("quote: the same token as the base");
    return { base: graph.poolToken(pool, baseAt), quote: graph.poolToken(pool, quoteAt) };
  }
}

const IS_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const IS_HASH = /^0x[0-9a-fA-F]{64}$/;
/** Numbers of at most 15 digits are exact. */
const IS_TRADE = /^(0|[1-9][0-9]{0,14})-(0|[1-9][0-9]{0,9})$/;

function textOf(name: string, value: unknown, shape: RegExp): string | undefined {
  if (value === undefined || (typeof value === "string" && shape.test(value))) return value;
  throw invalidCall(`${name}: not of its form`);
}

function spanOf(given: Given<"fromMs" | "toMs">): TimeSpan {
  const timeOf = (name: "fromMs" | "toMs"): number | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= 0 && value <= TIME_MAX) return value;
    throw invalidCall(`${name}: expected Unix milliseconds`);
  };
  const [fromMs, toMs] = [timeOf("fromMs"), timeOf("toMs")];
  if (fromMs !== undefined && toMs !== undefined && toMs < fromMs) {
    throw invalidCall("toMs: expected fromMs or later");
  }
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
}

function limitOf({ limit = LIMIT_USUAL }: Given<"limit">, most: number): number {
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= most) {
    return limit;
  }
  throw invalidCall(`limit: expected a whole number, 1 to ${most}`);
}

import {
  type AppliedBlock,
  type PoolGraph,
  type PoolIndex,
  runToEnd,
  type TokenIndex,
} from "@millrace/core";
import type { Candle, CandleInterval, CandleRange } from "../candles/Candle.ts";
import type { PoolPair, Windowed } from "../MarketData.ts";
import { auditWindows, type WindowDisagreement } from "./auditWindows.ts";
import { GraphSubjects } from "./GraphSubjects.ts";
import { Intake, type IntakeOptions } from "./Intake.ts";
import { NO_CHANGES, type PriceChanges, priceChanges } from "./priceChanges.ts";
import { isBefore, positionOfId, type StoredTrade } from "./StoredTrade.ts";
import {
  decodeActivity,
  emptyActivity,
  encodeActivity,
  type SavedActivity,
} from "./savedActivity.ts";
import type { PoolSumField, ReadSums, TokenSumField } from "./sumFields.ts";
import { type Trade, type TradeParties, WINDOWS } from "./TradedBlock.ts";
import { tradeView } from "./tradeView.ts";
import { stepOf } from "./windowSteps.ts";
import { sumOf, sumsBy, windowed } from "./windowSums.ts";

export interface ActivityOptions extends IntakeOptions {
  /** See `MarketDataOptions`. */
  readonly tradesMax: number;
  readonly candleBytes: number;
}

/** What was saved, and whom to notify when it is ignored. */
export interface Restoration {
  readonly saved: Uint8Array | undefined;
  /** Blocks above this number are reverted. */
  readonly savedTo: number;
  readonly onLeftAside: (reason: string) => void;
}

/**
 * What trades in a market: windows, trades and candles. At any moment they equal a plain recount of
 * the blocks that were published and not reverted, whatever came before.
 */
export class Activity {
  readonly #graph: PoolGraph;
  readonly #state: SavedActivity;
  readonly #graphSubjects: GraphSubjects;
  readonly #intake: Intake;
  /** Of unfinished saves: called when they will never finish. */
  readonly #saves = new Set<(reason: Error) => void>();

  constructor(options: ActivityOptions, restoration: Restoration) {
    this.#graph = options.graph;
    this.#state = restored(options, restoration) ?? emptyActivity(limitsOf(options));
    this.#graphSubjects = new GraphSubjects(options.graph, this.#state.subjects);
    const { savedTo } = restoration;
    this.#intake = new Intake(options, this.#state, this.#graphSubjects, savedTo);
  }

  /** Takes in a block that the graph shows now. */
  follow(applied: AppliedBlock): void {
    this.#intake.follow(applied);
  }

  /** Takes in all blocks that wait. */
  settle(): void {
    this.#intake.queue.finish();
  }

  /** All blocks are taken in. */
  get isSettled(): boolean {
    return this.#intake.waiting === 0;
  }

  stop(): void {
    this.#intake.queue.stop();
    for (const fail of this.#saves) fail(new Error("market data is closed"));
  }

  /** Grows whenever an answer may have changed. */
  get changeCount(): number {
    return this.#intake.changeCount;
  }

  tokenWindows(token: TokenIndex): Windowed {
    return windowed(this.#state.windows.tokens, this.#graphSubjects.ofToken(token));
  }

  poolWindows(pool: PoolIndex): Windowed {
    return windowed(this.#state.windows.pools, this.#graphSubjects.ofPool(pool));
  }

  /** One sum of any token of the graph. */
  tokenSum(field: TokenSumField): (token: number) => number {
    const { tokens } = this.#state.windows;
    return (token) => sumOf(field, tokens, this.#graphSubjects.ofToken(token));
  }

  /** One sum of any pool of the graph. */
  poolSum(field: PoolSumField): (pool: number) => number {
    const { pools } = this.#state.windows;
    return (pool) => sumOf(field, pools, this.#graphSubjects.ofPool(pool));
  }

  /** One sum of each token of the graph, by its index. */
  tokenSums(field: TokenSumField): ReadSums {
    return sumsBy(field, this.#state.windows.tokens, this.#graphSubjects.linkedTokens);
  }

  /** One sum of each pool of the graph, by its index. */
  poolSums(field: PoolSumField): ReadSums {
    return sumsBy(field, this.#state.windows.pools, this.#graphSubjects.linkedPools);
  }

  /** See `MarketData.trades`; gives none for an invalid id. */
  trades(pool: PoolIndex, limit: number, before?: string, pair?: PoolPair): Trade[] {
    const subject = this.#graphSubjects.ofPool(pool);
    const position = before === undefined ? undefined : positionOfId(before);
    const trades: Trade[] = [];
    if (subject < 0 || (before !== undefined && position === undefined)) return trades;
    const hasPairs = this.#graph.poolTokenCount[pool]! > 2;
    const { base, quote } = this.#tradedPair(pool, pair);
    for (const trade of this.#state.trades.ofPool(subject, position)) {
      if (trades.length >= limit) break;
      const { tokenIn, tokenOut } = trade;
      const isOfPair =
        (tokenIn === base && tokenOut === quote) || (tokenIn === quote && tokenOut === base);
      if (isOfPair || !hasPairs) trades.push(this.#tradeView(trade, base));
    }
    return trades;
  }

  /** See `MarketData.tokenTrades`; gives none for an invalid id. */
  tokenTrades(token: TokenIndex, limit: number, before?: string): Trade[] {
    const subject = this.#graphSubjects.ofToken(token);
    const position = before === undefined ? undefined : positionOfId(before);
    const trades: Trade[] = [];
    if (subject < 0 || (before !== undefined && position === undefined)) return trades;
    for (const trade of this.#state.trades.ofToken(subject, position)) {
      if (trades.length >= limit) break;
      trades.push(this.#tradeView(trade, subject));
    }
    return trades;
  }

  /** See `MarketData.networkTrades`; gives none for an invalid id. */
  networkTrades(
    limit: number,
    before: string | undefined,
    isWanted: (trade: TradeParties) => boolean,
  ): Trade[] {
    const position = before === undefined ? undefined : positionOfId(before);
    const trades: Trade[] = [];
    if (before !== undefined && position === undefined) return trades;
    for (const trade of this.#state.trades.all().reverse()) {
      if (trades.length >= limit) break;
      const isOlder = position === undefined || isBefore(trade, position);
      const { tokenIn, tokenOut } = trade;
      const base = this.#graphSubjects.isBefore(tokenIn, tokenOut) ? tokenIn : tokenOut;
      if (isOlder && isWanted(trade)) trades.push(this.#tradeView(trade, base));
    }
    return trades;
  }

  hasCandles(token: TokenIndex): boolean {
    const subject = this.#graphSubjects.ofToken(token);
    return subject >= 0 && this.#state.candles.hasToken(subject);
  }

  tokenCandles(token: TokenIndex, interval: CandleInterval, range: CandleRange): Candle[] {
    const subject = this.#graphSubjects.ofToken(token);
    return subject < 0 ? [] : this.#state.candles.ofToken(subject, interval, range);
  }

  /**
   * How a token's price has changed since each window began, given its price at a time. See
   * `EarlierCloses`; unknown changes are absent.
   */
  priceChanges(token: TokenIndex, priceUsd: number, timestampMs: number): PriceChanges {
    const subject = this.#graphSubjects.ofToken(token);
    if (subject < 0) return NO_CHANGES;
    return priceChanges(priceUsd, this.#state.candles.earlierCloses(subject, timestampMs));
  }

  /**
   * What each token of the graph cost when each window began, by `WINDOWS.length` × its index; 0
   * when unknown: see `EarlierCloses`. `first` and the length of the array must be multiples of
   * `WINDOWS.length`.
   */
  earlierCloses(timestampMs: number): ReadSums {
    const { candles } = this.#state;
    return (into, first) => {
      for (let at = 0; at < into.length; at += WINDOWS.length) {
        const subject = this.#graphSubjects.ofToken(((first + at) / WINDOWS.length) as TokenIndex);
        if (subject < 0) into.fill(0, at, at + WINDOWS.length);
        else into.set(candles.earlierCloses(subject, timestampMs), at);
      }
    };
  }

  /** See `MarketData.poolCandles`. */
  poolCandles(
    pool: PoolIndex,
    interval: CandleInterval,
    range: CandleRange,
    pair?: PoolPair,
  ): Candle[] {
    const subject = this.#graphSubjects.ofPool(pool);
    const { base, quote } = this.#tradedPair(pool, pair);
    if (subject < 0 || base < 0 || quote < 0) return [];
    const isBaseFirst = this.#graphSubjects.isBefore(base, quote);
    const [token0, token1] = isBaseFirst ? [base, quote] : [quote, base];
    const series = this.#state.subjects.series.find(subject, token0, token1);
    if (series < 0) return [];
    const { base: baseToken, quote: quoteToken } = pair ?? this.#firstPair(pool);
    const { tokenDecimals } = this.#graph;
    const ratio = 10 ** (tokenDecimals[baseToken]! - tokenDecimals[quoteToken]!);
    const priced = isBaseFirst
      ? (price: number) => price * ratio
      : (price: number) => ratio / price;
    return this.#state.candles.ofPair(series, interval, range).map((candle) => ({
      ...candle,
      open: priced(candle.open),
      high: priced(isBaseFirst ? candle.high : candle.low),
      low: priced(isBaseFirst ? candle.low : candle.high),
      close: priced(candle.close),
    }));
  }

  /** Everything as bytes, waiting blocks included. */
  save(): Uint8Array {
    this.settle();
    return runToEnd(this.#encode());
  }

  /**
   * Everything as bytes, waiting blocks included, written in slices of milliseconds. The bytes are
   * of one moment: blocks that come meanwhile wait. Fails when stopped before.
   */
  saveInSlices(): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const encode = this.#encode();
    this.#saves.add(reject);
    this.#intake.queue.add([
      function* () {
        try {
          resolve(yield* encode);
        } catch (error) {
          reject(error);
        }
      },
    ]);
    return promise.finally(() => this.#saves.delete(reject));
  }

  #encode(): Generator<void, Uint8Array> {
    return encodeActivity(this.#graph.chainId, this.#state);
  }

  /**
   * Counts the windows of some pools and tokens once more; gives those that differ from what
   * readers get. Each call takes random ones, of those that ever traded.
   */
  audit(count: number): WindowDisagreement[] {
    return auditWindows(this.#state, count);
  }

  get candleBytes(): number {
    return this.#state.candles.byteLength;
  }

  /** Bytes of windows and of what they need; trades, candles and records are not included. */
  get byteLength(): number {
    return this.#state.windows.byteLength + this.#graphSubjects.byteLength;
  }

  #firstPair(pool: PoolIndex): PoolPair {
    return { base: this.#graph.poolToken(pool, 0), quote: this.#graph.poolToken(pool, 1) };
  }

  /**
   * The subjects of a pair, by default the pool's first two tokens; -1 for a token that never
   * traded.
   */
  #tradedPair(pool: PoolIndex, pair = this.#firstPair(pool)): { base: number; quote: number } {
    return {
      base: this.#graphSubjects.ofToken(pair.base),
      quote: this.#graphSubjects.ofToken(pair.quote),
    };
  }

  /** The trade as seen from the base, the subject of one of its tokens. */
  #tradeView(trade: StoredTrade, base: number): Trade {
    const { pools, tokens } = this.#state.subjects;
    const { stamp, transactionHash, amountIn, amountOut, value, maker, logIndex } = trade;
    return tradeView(
      {
        stamp,
        pool: pools.addressOf(trade.pool),
        transactionHash,
        tokenIn: tokens.addressOf(trade.tokenIn),
        tokenOut: tokens.addressOf(trade.tokenOut),
        amountIn,
        amountOut,
        value,
        maker,
        logIndex,
      },
      trade.tokenOut === base,
      { ofIn: this.#decimals(trade.tokenIn), ofOut: this.#decimals(trade.tokenOut) },
    );
  }

  /** Decimals of a subject's token; NaN where the graph does not have the token. */
  #decimals(subject: number): number {
    const token = this.#graph.findToken(this.#state.subjects.tokens.addressOf(subject));
    return token === undefined ? NaN : this.#graph.tokenDecimals[token]!;
  }
}

/** The saved activity, when it is whole and of this chain. */
function restored(
  options: ActivityOptions,
  { saved, savedTo, onLeftAside }: Restoration,
): SavedActivity | undefined {
  if (saved === undefined) return undefined;
  const decoded = decodeActivity(saved, options.graph.chainId, limitsOf(options));
  if (typeof decoded === "string") {
    onLeftAside(decoded);
    return undefined;
  }
  // All of it is published anew, and would count on top of what cannot be reverted.
  if (decoded.records.isBeyond(savedTo)) {
    onLeftAside("nothing of it is known to be of the chain as it is now");
    return undefined;
  }
  return decoded;
}

function limitsOf({ graph, tradesMax, candleBytes }: ActivityOptions) {
  return { end: stepOf(graph.stamp.timestampMs), tradesMax, candleBytes };
}

import type { Address, BlockStamp, PoolGraph, SwapEvent, TokenIndex } from "@millrace/core";
import type { PricesNow } from "../candles/pastPrices.ts";
import type { GraphSubjects } from "./GraphSubjects.ts";
import { type TradedBlock, type TradedSwap, VALUES_A_DOLLAR } from "./TradedBlock.ts";

/** Swaps in one slice of work. */
const SWAPS_A_SLICE = 64;
/** Tokens priced at once: pricing one may take some microseconds. */
const TOKENS_AT_ONCE = 500;

/**
 * The largest value of a swap: a billion dollars. A swap that claims more is worth nothing: no pool
 * holds that much, only a token that makes amounts up. Sums of fewer than nine hundred such values
 * are exact.
 */
const VALUE_MAX = 1e9 * VALUES_A_DOLLAR;

/** What is known of a token when a block is valued. */
interface TokenWorth {
  /** Undefined for a text that is not an address. */
  readonly token: number | undefined;
  /** US dollars of one whole token; 0 when unpriced. */
  readonly priceUsd: number;
  /** The lower, the more its price is to be trusted: anchors in their order, then by backing. */
  readonly rank: number;
  /** Undefined for a token that is not in the graph. */
  readonly decimals: number | undefined;
}

export interface ReaderOptions {
  readonly graph: PoolGraph;
  readonly anchors: ReadonlyArray<{ readonly address: Address; readonly priceUsd: number }>;
  /** US dollars of one whole token now; 0 when unpriced. */
  readonly priceUsd: (token: TokenIndex) => number;
  /** Rank in the order in which prices were settled; Infinity for unpriced tokens. */
  readonly backingRank: (token: TokenIndex) => number;
}

/** Values of the tokens of a block, as far as they were asked for. */
export class Worths implements PricesNow {
  readonly byAddress = new Map<string, TokenWorth>();
  readonly byToken = new Map<number, TokenWorth>();

  readonly tokenPriceUsd = (token: number) => this.byToken.get(token)?.priceUsd ?? 0;
  readonly tokenRank = (token: number) => this.byToken.get(token)?.rank ?? Number.POSITIVE_INFINITY;
  readonly tokenDecimals = (token: number) => this.byToken.get(token)?.decimals;
}

/**
 * Turns swaps as a source publishes them into swaps as they are counted: with numbers instead of
 * addresses, and a value. The value is that of the side with the better founded price: an anchor's
 * side at the configured price, else the side whose token was settled first.
 */
export class SwapReader {
  readonly #options: ReaderOptions;
  readonly #subjects: GraphSubjects;
  /** By address: its rank among the anchors, and its price. */
  readonly #anchors: ReadonlyMap<string, { readonly rank: number; readonly priceUsd: number }>;

  constructor(options: ReaderOptions, subjects: GraphSubjects) {
    this.#options = options;
    this.#subjects = subjects;
    const { length } = options.anchors;
    this.#anchors = new Map(
      options.anchors.map(({ address, priceUsd }, rank) => [
        address.toLowerCase(),
        { rank: rank - length, priceUsd },
      ]),
    );
  }

  /**
   * Values of the tokens of these swaps at the graph's block, of about `TOKENS_AT_ONCE` at most. In
   * a huge block the others are asked for as it is read: before the next block comes, if there is
   * time.
   */
  worths(events: ReadonlyArray<SwapEvent>): Worths {
    const worths = new Worths();
    for (const { tokenIn, tokenOut } of events) {
      if (worths.byAddress.size >= TOKENS_AT_ONCE) break;
      this.#worthOf(tokenIn, worths);
      this.#worthOf(tokenOut, worths);
    }
    return worths;
  }

  /**
   * The swaps of a block, with their values; values of tokens that are still unknown are asked for
   * now, at the graph's block. Swaps that are not between two tokens are left out.
   */
  *read(
    stamp: BlockStamp,
    events: ReadonlyArray<SwapEvent>,
    worths: Worths,
  ): Generator<void, TradedBlock> {
    const swaps: TradedSwap[] = [];
    let transaction = -1;
    let transactionHash: string | undefined;
    for (let at = 0; at < events.length; at++) {
      const event = events[at]!;
      if (at % SWAPS_A_SLICE === 0) yield;
      const isNew = event.transactionHash !== transactionHash;
      const swap = this.#swap(event, isNew ? transaction + 1 : transaction, worths);
      if (swap === undefined) continue;
      transaction = swap.transaction;
      transactionHash = event.transactionHash;
      swaps.push(swap);
    }
    return { stamp, swaps };
  }

  /** The same swaps at other prices of whole tokens; 0 where a price is unknown. */
  revalued(
    { stamp, swaps }: TradedBlock,
    worths: Worths,
    priceUsd: (token: number) => number,
  ): TradedBlock {
    const worthOf = (token: number) => {
      const known = worths.byToken.get(token)!;
      return { ...known, priceUsd: priceUsd(token) };
    };
    const revalue = (swap: TradedSwap) => ({
      ...swap,
      value: betterValue(swap, worthOf(swap.tokenIn), worthOf(swap.tokenOut)),
    });
    return { stamp, swaps: swaps.map(revalue) };
  }

  #swap(event: SwapEvent, transaction: number, worths: Worths): TradedSwap | undefined {
    const pool = this.#subjects.poolOf(event.pool);
    const worthIn = this.#worthOf(event.tokenIn, worths);
    const worthOut = this.#worthOf(event.tokenOut, worths);
    const [tokenIn, tokenOut] = [worthIn.token, worthOut.token];
    if (pool === undefined || tokenIn === undefined || tokenOut === undefined) return undefined;
    if (tokenIn === tokenOut) return undefined;
    const sellsToken0 = this.#subjects.isBefore(tokenIn, tokenOut);
    return {
      pool,
      series: sellsToken0
        ? this.#subjects.seriesOf(pool, tokenIn, tokenOut)
        : this.#subjects.seriesOf(pool, tokenOut, tokenIn),
      tokenIn,
      tokenOut,
      amountIn: event.amountIn,
      amountOut: event.amountOut,
      sellsToken0,
      value: betterValue(event, worthIn, worthOut),
      priceAfter: priceOrNone(sellsToken0 ? event.priceAfter : 1 / event.priceAfter),
      transactionHash: event.transactionHash,
      maker: event.maker,
      transaction,
      logIndex: event.logIndex,
    };
  }

  #worthOf(address: string, worths: Worths): TokenWorth {
    const known = worths.byAddress.get(address);
    if (known !== undefined) return known;
    const worth = this.#worthNow(address);
    worths.byAddress.set(address, worth);
    if (worth.token !== undefined) worths.byToken.set(worth.token, worth);
    return worth;
  }

  #worthNow(address: string): TokenWorth {
    const { graph, priceUsd, backingRank } = this.#options;
    const token = this.#subjects.tokenOf(address);
    const index = graph.findToken(address);
    if (index === undefined) {
      return { token, priceUsd: 0, rank: Number.POSITIVE_INFINITY, decimals: undefined };
    }
    const anchor = this.#anchors.get(address.toLowerCase());
    return {
      token,
      priceUsd: anchor?.priceUsd ?? priceUsd(index),
      rank: anchor?.rank ?? backingRank(index),
      decimals: graph.tokenDecimals[index]!,
    };
  }
}

/** The value by the side with the better founded price. */
function betterValue(
  { amountIn, amountOut }: Pick<TradedSwap, "amountIn" | "amountOut">,
  worthIn: TokenWorth,
  worthOut: TokenWorth,
): number {
  return isBetterFounded(worthIn, worthOut)
    ? valueOf(amountIn, worthIn)
    : valueOf(amountOut, worthOut);
}

function isBetterFounded(worth: TokenWorth, other: TokenWorth): boolean {
  if (worth.priceUsd === 0 || other.priceUsd === 0) return other.priceUsd === 0;
  return worth.rank <= other.rank;
}

/** Ten-thousandths of a dollar, rounded only here; 0 without a price. */
function valueOf(amount: bigint, { priceUsd, decimals }: TokenWorth): number {
  if (decimals === undefined || priceUsd === 0) return 0;
  const value = Math.round((Number(amount) / 10 ** decimals) * priceUsd * VALUES_A_DOLLAR);
  return value >= 0 && value <= VALUE_MAX ? value : 0;
}

function priceOrNone(price: number): number {
  return price > 0 && price < Number.POSITIVE_INFINITY ? price : 0;
}

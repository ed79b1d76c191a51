import { type TradedBlock, type TradedSwap, VALUES_A_DOLLAR } from "../activity/TradedBlock.ts";

/** What is known of tokens today, to price what they traded at in the past. */
export interface PricesNow {
  /** US dollars of one whole token; 0 when it has no price. */
  readonly tokenPriceUsd: (token: number) => number;
  /** Place in the order of backing, below 0 for anchors: a token is priced by tokens before it. */
  readonly tokenRank: (token: number) => number;
  /** Undefined for a token that is not in the graph. */
  readonly tokenDecimals: (token: number) => number | undefined;
}

/**
 * Smallest value of a block's swaps between one pair of a pool that counts as evidence of a price.
 */
const VALUE_MIN = 10 * VALUES_A_DOLLAR;
/** Largest factor between a price and a known one minutes away. */
const NEAR_FACTOR_MAX = 2;
/** … and today's price, days away at most, where no nearer one is known. */
const TODAY_FACTOR_MAX = 10;

/**
 * Prices of tokens at the end of a block of the past that was never valued: US dollars of one whole
 * token; tokens without a price are absent.
 *
 * A token is priced as a valuation would do it, by the tokens it was swapped for. Such a token must
 * be an anchor, or better backed and priced by this block in its turn, or known from candles of the
 * minutes around (`near`). Each pool offers its mid price after the block's last swap, times the
 * other token's price; the median counts, weighted by what was swapped. Values of swaps serve only
 * as weights: they come from today's prices.
 *
 * The depth of a pool in the past is unknown. So that a thin or manipulated pool sets no price, a
 * token without a price today gets none, pools with little swapped do not count, and a price far
 * from the known one (of the minutes around, or else today's) is dropped.
 */
export function* pastPrices(
  block: TradedBlock,
  now: PricesNow,
  near: (token: number) => number,
): Generator<void, ReadonlyMap<number, number>> {
  const { tokenPriceUsd, tokenRank } = now;
  const isAnchor = (token: number) => tokenRank(token) < 0;
  const quotes = quotesByToken(pairsOf(block, now), tokenRank);
  const prices = new Map<number, number>();
  for (const token of tokensOf(block).filter(isAnchor)) prices.set(token, tokenPriceUsd(token));
  const tokens = [...quotes.keys()]
    .filter((token) => !isAnchor(token) && tokenPriceUsd(token) > 0)
    .sort((a, b) => tokenRank(a) - tokenRank(b));
  for (const token of tokens) {
    yield;
    const offers = quotes.get(token)!.map(({ source, rate, weight }) => ({
      price: rate * (prices.get(source) ?? near(source)),
      weight,
    }));
    const price = weightedMedian(offers.filter((offer) => offer.price > 0));
    const known = near(token);
    const isPlausible =
      known > 0
        ? isWithin(price, known, NEAR_FACTOR_MAX)
        : isWithin(price, tokenPriceUsd(token), TODAY_FACTOR_MAX);
    if (isPlausible) prices.set(token, price);
  }
  return prices;
}

/** The swaps between two tokens of a pool. */
interface PairTrades {
  readonly token0: number;
  readonly token1: number;
  /** Price of one whole token0 in token1, after the last swap. */
  price: number;
  value: number;
}

/** A pool's offer for a token: `rate` of another token for one of it. */
interface TokenQuote {
  readonly source: number;
  readonly rate: number;
  readonly weight: number;
}

function pairsOf(block: TradedBlock, { tokenDecimals }: PricesNow): PairTrades[] {
  const pairs = new Map<number, PairTrades>();
  for (const swap of block.swaps) {
    let pair = pairs.get(swap.series);
    if (pair === undefined) {
      const [token0, token1] = pairOf(swap);
      pair = { token0, token1, price: 0, value: 0 };
      pairs.set(swap.series, pair);
    }
    const price = wholePrice(swap, pair, tokenDecimals);
    if (price > 0 && Number.isFinite(price)) pair.price = price;
    pair.value += swap.value;
  }
  return [...pairs.values()].filter(({ price, value }) => price > 0 && value >= VALUE_MIN);
}

/** Price of one whole token0 in token1; 0 when unknown. */
function wholePrice(
  { priceAfter }: TradedSwap,
  { token0, token1 }: PairTrades,
  decimalsOf: PricesNow["tokenDecimals"],
): number {
  const [decimals0, decimals1] = [decimalsOf(token0), decimalsOf(token1)];
  if (decimals0 === undefined || decimals1 === undefined) return 0;
  return priceAfter * 10 ** (decimals0 - decimals1);
}

function pairOf(swap: TradedSwap): [token0: number, token1: number] {
  return swap.sellsToken0 ? [swap.tokenIn, swap.tokenOut] : [swap.tokenOut, swap.tokenIn];
}

/** The offers of pairs of pools for the worse backed of their tokens. */
function quotesByToken(
  pairs: ReadonlyArray<PairTrades>,
  tokenRank: (token: number) => number,
): Map<number, TokenQuote[]> {
  const quotes = new Map<number, TokenQuote[]>();
  for (const { token0, token1, price, value } of pairs) {
    const isFirstBetter = tokenRank(token0) <= tokenRank(token1);
    const token = isFirstBetter ? token1 : token0;
    const quote = {
      source: isFirstBetter ? token0 : token1,
      rate: isFirstBetter ? 1 / price : price,
      weight: value,
    };
    const others = quotes.get(token);
    if (others === undefined) quotes.set(token, [quote]);
    else others.push(quote);
  }
  return quotes;
}

function tokensOf(block: TradedBlock): number[] {
  return block.swaps.flatMap((swap) => [swap.tokenIn, swap.tokenOut]);
}

function isWithin(price: number, known: number, factor: number): boolean {
  return price > 0 && price <= known * factor && price >= known / factor;
}

/** The lowest price with at least half of the weight at or below it; 0 when there is none. */
function weightedMedian(offers: ReadonlyArray<{ price: number; weight: number }>): number {
  const ascending = offers.toSorted((a, b) => a.price - b.price);
  const total = ascending.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const { price, weight } of ascending) {
    below += weight;
    if (2 * below >= total) return price;
  }
  return 0;
}

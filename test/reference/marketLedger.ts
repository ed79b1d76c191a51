import type { Address, BlockStamp } from "@millrace/core";

/** A swap as in the traders' ledger, from the receipt of its transaction. */
export interface LedgerSwap {
  readonly pool: Address;
  /** In the pool's own order. */
  readonly tokens: readonly [Address, Address];
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly transactionHash: string;
  readonly logIndex: number;
  /** The pool's mid price right after it, of its first token in its second, in smallest units. */
  readonly ratioAfter: number;
}

export interface LedgerBlock {
  readonly stamp: BlockStamp;
  /** In the order of the chain. */
  readonly swaps: ReadonlyArray<LedgerSwap>;
}

/** The terms of valuation: the first anchor on either side of a swap. */
export interface LedgerTerms {
  readonly anchors: ReadonlyArray<{ readonly address: Address; readonly priceUsd: number }>;
  readonly decimals: ReadonlyMap<Address, number>;
}

/** Ten-thousandths of a US dollar: two values where the exact one is halfway between them. */
export interface ValueBounds {
  readonly least: number;
  readonly most: number;
}

interface LedgerWindow extends ValueBounds {
  readonly transactions: number;
  readonly buys: number;
  readonly sells: number;
}

export interface LedgerCandle extends ValueBounds {
  readonly startMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export const WINDOW_SECONDS = { "5m": 300, "1h": 3_600, "6h": 21_600, "24h": 86_400 } as const;
export const WINDOW_NAMES = Object.keys(WINDOW_SECONDS) as ReadonlyArray<WindowName>;
const INTERVAL_SECONDS = {
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3_600,
  "4h": 14_400,
  "1d": 86_400,
} as const;
export const INTERVAL_NAMES = Object.keys(INTERVAL_SECONDS) as ReadonlyArray<IntervalName>;

/** Seconds of the chain's time by which windows roll. */
export const STEP_SECONDS = 10;
const VALUES_A_DOLLAR = 10_000;
/** A billion dollars: extreme prices can exceed it, and then a swap counts for nothing. */
const VALUE_MAX = 1e9 * VALUES_A_DOLLAR;
/** Relative error of a float value: a few roundings of 2^-53. */
const FLOAT_ERROR = 2 ** -50;

type WindowName = keyof typeof WINDOW_SECONDS;
type IntervalName = keyof typeof INTERVAL_SECONDS;
export type LedgerWindows = Readonly<Record<WindowName, LedgerWindow>>;

const stepOf = (timestampMs: number): number => Math.floor(timestampMs / 1_000 / STEP_SECONDS);

/** The value of a swap; undefined where neither of its tokens is an anchor. */
export function valueOf(swap: LedgerSwap, terms: LedgerTerms): ValueBounds | undefined {
  for (const { address, priceUsd } of terms.anchors) {
    if (address !== swap.tokenIn && address !== swap.tokenOut) continue;
    const amount = address === swap.tokenIn ? swap.amountIn : swap.amountOut;
    return boundsOf(amount, terms.decimals.get(address)!, priceUsd);
  }
  return undefined;
}

/**
 * The value of an amount at a price: exact in integers, then the nearest whole values. Zero above
 * VALUE_MAX; either where only one of the two exceeds it.
 */
export function boundsOf(amount: bigint, decimals: number, priceUsd: number): ValueBounds {
  const [numerator, denominator] = fractionOf(priceUsd);
  const unit = denominator * 10n ** BigInt(decimals);
  const scaled = amount * numerator * BigInt(VALUES_A_DOLLAR);
  const whole = Number(scaled / unit);
  const rest = Number(((scaled % unit) << 64n) / unit) / 2 ** 64;
  const error = 1e-9 + whole * FLOAT_ERROR;
  const least = whole + Math.ceil(rest - 0.5 - error);
  const most = whole + Math.floor(rest + 0.5 + error);
  return { least: most > VALUE_MAX ? 0 : least, most: least > VALUE_MAX ? 0 : most };
}

/** A float as the fraction that it is. */
function fractionOf(value: number): [bigint, bigint] {
  let denominator = 1n;
  let numerator = value;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return [BigInt(numerator), denominator];
}

/** The value of a swap in a block; any value where it is unknown. */
export type ValueIn = (block: LedgerBlock, swap: LedgerSwap) => ValueBounds;

export const ANY_VALUE: ValueBounds = { least: 0, most: Number.POSITIVE_INFINITY };

/** Windows of all subjects, tokens and pools by address, that end with a block of this time. */
export function windowsAt(
  blocks: ReadonlyArray<LedgerBlock>,
  headMs: number,
  valueIn: ValueIn,
): ReadonlyMap<Address, LedgerWindows> {
  const counted = new Map<Address, Record<WindowName, Count>>();
  for (const block of blocks) {
    const age = STEP_SECONDS * (stepOf(headMs) - stepOf(block.stamp.timestampMs));
    for (const swap of block.swaps) {
      const value = valueIn(block, swap);
      for (const window of WINDOW_NAMES) {
        if (age >= WINDOW_SECONDS[window]) continue;
        for (const subject of [swap.pool, swap.tokenIn, swap.tokenOut]) {
          const windows = counted.get(subject) ?? emptyCounts();
          counted.set(subject, windows);
          const count = windows[window];
          count.least += value.least;
          count.most += value.most;
          count.hashes.add(swap.transactionHash);
          // For a pool, buys are of its first token.
          const bought = subject === swap.pool ? swap.tokens[0] : subject;
          if (swap.tokenOut === bought) count.buys++;
          else count.sells++;
        }
      }
    }
  }
  return new Map([...counted].map(([subject, counts]) => [subject, closed(counts)]));
}

interface Count {
  least: number;
  most: number;
  readonly hashes: Set<string>;
  buys: number;
  sells: number;
}

const emptyCount = (): Count => ({ least: 0, most: 0, hashes: new Set(), buys: 0, sells: 0 });

const emptyCounts = (): Record<WindowName, Count> => ({
  "5m": emptyCount(),
  "1h": emptyCount(),
  "6h": emptyCount(),
  "24h": emptyCount(),
});

const closed = (counts: Record<WindowName, Count>): LedgerWindows => {
  const close = ({ hashes, ...rest }: Count) => ({ ...rest, transactions: hashes.size });
  return {
    "5m": close(counts["5m"]),
    "1h": close(counts["1h"]),
    "6h": close(counts["6h"]),
    "24h": close(counts["24h"]),
  };
};

export const NOTHING_TRADED: LedgerWindows = closed(emptyCounts());

/**
 * The candles of one subject: of a pool's mid prices, or of a token's `priceUsd` in each block.
 * Where the price is 0, only the volume counts; where it is NaN, so are all prices of the candle.
 */
export function candlesOf(
  blocks: ReadonlyArray<LedgerBlock>,
  subject: Address,
  interval: IntervalName,
  terms: LedgerTerms,
  valueIn: ValueIn,
  priceUsd: (block: LedgerBlock) => number,
): ReadonlyArray<LedgerCandle> {
  const length = INTERVAL_SECONDS[interval] * 1_000;
  const candles = new Map<number, CandleInMaking>();
  for (const block of blocks) {
    const startMs = Math.floor(block.stamp.timestampMs / length) * length;
    for (const swap of block.swaps) {
      const isOfPool = swap.pool === subject;
      if (!isOfPool && swap.tokenIn !== subject && swap.tokenOut !== subject) continue;
      const price = isOfPool ? swap.ratioAfter * wholeTokens(swap, terms) : priceUsd(block);
      const { least, most } = valueIn(block, swap);
      const candle = candles.get(startMs) ?? { prices: [], least: 0, most: 0 };
      candles.set(startMs, candle);
      if (price !== 0) candle.prices.push(price);
      candle.least += least;
      candle.most += most;
    }
  }
  return [...candles]
    .sort(([left], [right]) => left - right)
    .map(([startMs, { prices, least, most }]) => {
      const isKnown = prices.length > 0 && !prices.some(Number.isNaN);
      const [open, high, low, close] = isKnown
        ? [prices[0]!, Math.max(...prices), Math.min(...prices), prices.at(-1)!]
        : [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
      return { startMs, open, high, low, close, least, most };
    });
}

interface CandleInMaking {
  readonly prices: number[];
  least: number;
  most: number;
}

function wholeTokens({ tokens }: LedgerSwap, { decimals }: LedgerTerms): number {
  return 10 ** (decimals.get(tokens[0])! - decimals.get(tokens[1])!);
}

import type { Address, PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { MarketData } from "@millrace/market";
import {
  ANY_VALUE,
  boundsOf,
  candlesOf,
  INTERVAL_NAMES,
  type LedgerBlock,
  type LedgerCandle,
  type LedgerSwap,
  type LedgerTerms,
  type LedgerWindows,
  NOTHING_TRADED,
  type ValueBounds,
  type ValueIn,
  valueOf,
  WINDOW_NAMES,
  windowsAt,
} from "./marketLedger.ts";

/** Relative error of a price after a few roundings. */
const PRICE_ERROR = 1e-12;
const VALUES_A_DOLLAR = 10_000;
/** Reported differences of one comparison: the first ones are the informative ones. */
const TOLD_MAX = 20;

export interface Compared {
  readonly graph: PoolGraph;
  readonly data: MarketData;
}

export interface Account {
  /** Blocks of the chain, ascending, with all their swaps. */
  readonly blocks: ReadonlyArray<LedgerBlock>;
  readonly headMs: number;
  readonly terms: LedgerTerms;
  /**
   * Price of a token at the end of a block; without it, only anchors' candles are compared among
   * tokens.
   */
  readonly priceUsd?: (token: Address, block: LedgerBlock) => number | undefined;
}

/** All differences between a market and the account. */
export function allDifferences(compared: Compared, account: Account): ReadonlyArray<string> {
  return [
    ...windowDifferences(compared, account),
    ...tradeDifferences(compared, account),
    ...poolCandleDifferences(compared, account),
    ...tokenCandleDifferences(compared, account),
  ].slice(0, TOLD_MAX);
}

/** Differences of windows of all tokens and pools, and of the same numbers in their views. */
export function windowDifferences(compared: Compared, account: Account): ReadonlyArray<string> {
  const { graph, data } = compared;
  const expected = windowsAt(account.blocks, account.headMs, toldValues(compared, account));
  const found: string[] = [];
  for (const [token, address] of tokensIn(graph)) {
    const windows = expected.get(address) ?? NOTHING_TRADED;
    const told = data.tokenWindows(token);
    compareWindows(`token ${address}`, told, windows, found);
    const view = data.token(token);
    compare(`view of token ${address}`, viewOf(view), viewOfWindows(told), found);
  }
  for (const [pool, address] of poolsIn(graph)) {
    const told = data.poolWindows(pool);
    compareWindows(`pool ${address}`, told, expected.get(address) ?? NOTHING_TRADED, found);
    const { volume24hUsd } = data.pool(pool)!;
    compare(`view of pool ${address}`, volume24hUsd, told["24h"].volumeUsd, found);
  }
  return found.slice(0, TOLD_MAX);
}

/** Windows that exceed the account, which is wrong even before the history is complete. */
export function excesses({ graph, data }: Compared, account: Account): ReadonlyArray<string> {
  const valueIn: ValueIn = (_, swap) => valueOf(swap, account.terms) ?? ANY_VALUE;
  const expected = windowsAt(account.blocks, account.headMs, valueIn);
  const found: string[] = [];
  const look = (name: string, told: Told, windows: LedgerWindows = NOTHING_TRADED) => {
    for (const window of WINDOW_NAMES) {
      const { volumeUsd, transactions, buys, sells } = told[window];
      const bound = windows[window];
      const isAbove =
        volumeUsd * VALUES_A_DOLLAR > bound.most + 0.5 ||
        transactions > bound.transactions ||
        buys > bound.buys ||
        sells > bound.sells;
      if (isAbove) found.push(`${name} ${window}: ${JSON.stringify([told[window], bound])}`);
    }
  };
  for (const [token, address] of tokensIn(graph))
    look(`token ${address}`, data.tokenWindows(token), expected.get(address));
  for (const [pool, address] of poolsIn(graph))
    look(`pool ${address}`, data.poolWindows(pool), expected.get(address));
  return found.slice(0, TOLD_MAX);
}

/** Differences of every trade of every pool, to the wei and in order, and of their values. */
function tradeDifferences(compared: Compared, account: Account): ReadonlyArray<string> {
  const { graph, data } = compared;
  const byPool = new Map<Address, string[]>();
  const values = new Map<string, ReadonlyArray<ValueBounds>>();
  for (const block of account.blocks) {
    const { stamp } = block;
    for (const swap of block.swaps) {
      const id = `${stamp.number}-${swap.logIndex}`;
      const line = [id, stamp.hash, stamp.timestampMs, swap.transactionHash, swap.logIndex];
      const amounts = [swap.tokenIn, swap.tokenOut, swap.amountIn, swap.amountOut];
      const lines = byPool.get(swap.pool) ?? [];
      lines.push([...line, ...amounts].join(" "));
      byPool.set(swap.pool, lines);
      values.set(id, possibleValues(block, swap, account));
    }
  }
  const found: string[] = [];
  for (const [pool, address] of poolsIn(graph)) {
    const trades = data.trades(pool, 1_000_000);
    const told = trades.map((trade) => {
      const { id, stamp, transactionHash, logIndex } = trade;
      const line = [id, stamp.hash, stamp.timestampMs, transactionHash, logIndex];
      return [...line, trade.tokenIn, trade.tokenOut, trade.amountIn, trade.amountOut].join(" ");
    });
    const expected = (byPool.get(address) ?? []).toReversed();
    compareLists(`trades of ${address}`, told, expected, found);
    for (const { id, pool: tradedIn, valueUsd } of trades) {
      const bounds = values.get(id) ?? [];
      const value = valueUsd * VALUES_A_DOLLAR;
      if (tradedIn !== address) found.push(`trade ${id} of ${address} is told of ${tradedIn}`);
      if (Math.abs(value - Math.round(value)) > 1e-3)
        found.push(`trade ${id}: ${valueUsd} dollars`);
      if (bounds.length > 0 && !bounds.some((each) => isWithin(valueUsd, each)))
        found.push(`trade ${id}: ${value} is not any of ${JSON.stringify(bounds)}`);
    }
    comparePaging(compared, pool, trades, found);
  }
  return found.slice(0, TOLD_MAX);
}

/**
 * The possible values of a swap: exact with an anchor; otherwise by either of its tokens, at its
 * price at the end of the block. None where nothing is known.
 */
function possibleValues(
  block: LedgerBlock,
  swap: LedgerSwap,
  { terms, priceUsd }: Account,
): ReadonlyArray<ValueBounds> {
  const value = valueOf(swap, terms);
  if (value !== undefined) return [value];
  const sides = [
    [swap.tokenIn, swap.amountIn],
    [swap.tokenOut, swap.amountOut],
  ] as const;
  return sides.flatMap(([token, amount]) => {
    const price = priceUsd?.(token, block);
    return price === undefined ? [] : [boundsOf(amount, terms.decimals.get(token)!, price)];
  });
}

/**
 * Values of swaps as in the market's trades, which `tradeDifferences` compares: sums must be of
 * exactly these. For pools outside the market, the value by an anchor.
 */
function toldValues({ graph, data }: Compared, { terms }: Account): ValueIn {
  const told = new Map<string, number>();
  for (const [pool] of poolsIn(graph)) {
    for (const { id, valueUsd } of data.trades(pool, 1_000_000))
      told.set(id, Math.round(valueUsd * VALUES_A_DOLLAR));
  }
  return ({ stamp }, swap) => {
    const value = told.get(`${stamp.number}-${swap.logIndex}`);
    if (value !== undefined) return { least: value, most: value };
    return valueOf(swap, terms) ?? ANY_VALUE;
  };
}

/** Checks that pages of the list equal the list, wherever they begin. */
function comparePaging({ data }: Compared, pool: PoolIndex, trades: Trades, found: string[]): void {
  const ids = trades.map(({ id }) => id);
  for (const start of [0, 1, Math.floor(ids.length / 2), ids.length - 1]) {
    const before = ids[start];
    if (before === undefined) continue;
    const page = data.trades(pool, 3, before).map(({ id }) => id);
    compare(`page before ${before}`, page.join(), ids.slice(start + 1, start + 4).join(), found);
  }
}

function poolCandleDifferences(compared: Compared, account: Account): ReadonlyArray<string> {
  const { graph, data } = compared;
  const { blocks, terms } = account;
  const valueIn = toldValues(compared, account);
  const found: string[] = [];
  for (const [pool, address] of poolsIn(graph)) {
    for (const interval of INTERVAL_NAMES) {
      const told = data.poolCandles(pool, interval, { limit: 100_000 });
      const expected = candlesOf(blocks, address, interval, terms, valueIn, () => 0);
      compareCandles(`pool ${address} ${interval}`, told, expected, found);
    }
  }
  return found.slice(0, TOLD_MAX);
}

function tokenCandleDifferences(compared: Compared, account: Account): ReadonlyArray<string> {
  const { graph, data } = compared;
  const { blocks, terms, priceUsd } = account;
  const valueIn = toldValues(compared, account);
  const found: string[] = [];
  for (const [token, address] of tokensIn(graph)) {
    const anchor = terms.anchors.find((known) => known.address === address);
    if (anchor === undefined && priceUsd === undefined) continue;
    const priceIn = (block: LedgerBlock) =>
      anchor?.priceUsd ?? priceUsd?.(address, block) ?? Number.NaN;
    for (const interval of INTERVAL_NAMES) {
      const told = data.tokenCandles(token, interval, { limit: 100_000 });
      const expected = candlesOf(blocks, address, interval, terms, valueIn, priceIn);
      compareCandles(`token ${address} ${interval}`, told, expected, found);
    }
  }
  return found.slice(0, TOLD_MAX);
}

type Told = ReturnType<MarketData["tokenWindows"]>;
type Trades = ReturnType<MarketData["trades"]>;
type Candles = ReturnType<MarketData["poolCandles"]>;

function compareWindows(name: string, told: Told, expected: LedgerWindows, found: string[]): void {
  for (const window of WINDOW_NAMES) {
    const { volumeUsd, transactions, buys, sells } = told[window];
    const bounds = expected[window];
    const counts = [transactions, buys, sells].join();
    const isSame = counts === [bounds.transactions, bounds.buys, bounds.sells].join();
    if (isSame && isWithin(volumeUsd, bounds)) continue;
    found.push(`${name} ${window}: ${JSON.stringify(told[window])} is not ${toText(bounds)}`);
  }
}

/** Where the account has no price for a part of a candle, the market may have any price. */
function compareCandles(
  name: string,
  told: Candles,
  expected: ReadonlyArray<LedgerCandle>,
  found: string[],
): void {
  const others = new Map(expected.map((candle) => [candle.startMs, candle]));
  const starts = told.map(({ startMs }) => startMs);
  const wanted = expected
    .filter(({ startMs, high }) => !Number.isNaN(high) || starts.includes(startMs))
    .map(({ startMs }) => startMs);
  compare(`${name} starts`, starts.join(), wanted.join(), found);
  for (const candle of told) {
    const other = others.get(candle.startMs);
    if (other === undefined) continue;
    const areClose = (["open", "high", "low", "close"] as const).every(
      (field) => Number.isNaN(other.high) || isClose(candle[field], other[field]),
    );
    if (areClose && isWithin(candle.volumeUsd, other)) continue;
    found.push(`${name}: ${JSON.stringify(candle)} is not ${toText(other)}`);
  }
}

const isClose = (told: number, expected: number) =>
  Math.abs(told - expected) <= PRICE_ERROR * Math.abs(expected);

/** Whether dollars are a whole number of values within the bounds, up to the last rounding. */
const isWithin = (valueUsd: number, { least, most }: ValueBounds) =>
  valueUsd >= (least / VALUES_A_DOLLAR) * (1 - 2 ** -51) &&
  valueUsd <= (most / VALUES_A_DOLLAR) * (1 + 2 ** -51);

/** Names the first place where two lists differ. */
function compareLists(
  name: string,
  told: ReadonlyArray<string>,
  expected: ReadonlyArray<string>,
  found: string[],
): void {
  const place = Array.from({ length: Math.max(told.length, expected.length) }, (_, at) => at).find(
    (at) => told[at] !== expected[at],
  );
  if (place === undefined) return;
  const counts = `${told.length} and ${expected.length}`;
  found.push(`${name}: ${told[place]} is not ${expected[place]}, at ${place} of ${counts}`);
}

function compare<A>(name: string, told: A, expected: A, found: string[]): void {
  if (told !== expected) found.push(`${name}: ${String(told)} is not ${String(expected)}`);
}

const toText = (bounds: ValueBounds) =>
  JSON.stringify(bounds, (_, value: unknown) => (value === Infinity ? "any" : value));

const viewOf = (view: ReturnType<MarketData["token"]>) =>
  [
    ...[view.volume24hUsd, view.volume6hUsd, view.volume1hUsd, view.volume5mUsd],
    ...[view.txns24h, view.buys24h, view.sells24h],
  ].join();

const viewOfWindows = (told: Told) =>
  [
    ...[told["24h"].volumeUsd, told["6h"].volumeUsd, told["1h"].volumeUsd, told["5m"].volumeUsd],
    ...[told["24h"].transactions, told["24h"].buys, told["24h"].sells],
  ].join();

function tokensIn(graph: PoolGraph): ReadonlyArray<[TokenIndex, Address]> {
  return Array.from({ length: graph.tokenCount }, (_, token) => [
    token as TokenIndex,
    graph.tokenAddress(token as TokenIndex),
  ]);
}

function poolsIn(graph: PoolGraph): ReadonlyArray<[PoolIndex, Address]> {
  return Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex)
    .filter((pool) => graph.isLive(pool))
    .map((pool) => [pool, graph.poolAddress(pool)]);
}

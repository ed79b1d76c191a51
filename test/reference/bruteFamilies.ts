import {
  gasCost,
  netOf,
  type OpenMarket,
  type PoolIndex,
  type QuoteRequest,
  REFUSED,
  type TokenIndex,
} from "@millrace/core";

/** The best of all paths of a request, net of gas where that has a price. */
export interface BestOfAll {
  /** Most output, or least input; undefined where no path gives any. */
  readonly amount: bigint | undefined;
  /** Output, or minus the input, less what its gas costs. */
  readonly net: bigint;
  /** Pools of the shortest path with this result. */
  readonly hops: number;
  /** Some path, or the beginning of one, cannot take or give the whole amount. */
  readonly someRefused: boolean;
  /** Some path, or the beginning of one, rounds to nothing. */
  readonly someNothing: boolean;
}

/**
 * Checks every path of at most `maxHops` pools that visits no token and no pool twice, for any
 * families and any number of tokens. Outputs come from the pools' own exact functions, which are
 * tested elsewhere: this judges the search alone.
 */
export function bestOfAll(
  market: OpenMarket,
  request: QuoteRequest,
  isAllowed: (pool: PoolIndex) => boolean = () => true,
): BestOfAll {
  const { graph, families } = market;
  const isIn = request.kind === "exactIn";
  const goal = isIn ? request.tokenOut : request.tokenIn;
  const { gasPrice = 0 } = request;
  let amount: bigint | undefined;
  let net = 0n;
  let hops = 0;
  let someRefused = false;
  let someNothing = false;
  const tokens = new Set<TokenIndex>();
  const pools = new Set<PoolIndex>();

  function walk(token: TokenIndex, arriving: bigint, depth: number, gasBefore: number): void {
    tokens.add(token);
    for (let pool = 0 as PoolIndex; pool < graph.poolCount; pool++) {
      if (!graph.isLive(pool) || pools.has(pool) || !isAllowed(pool)) continue;
      const own = graph.poolPosition(pool, token);
      if (own < 0) continue;
      const family = families[graph.poolCurve[pool]!]!;
      for (let other = 0; other < graph.poolTokenCount[pool]!; other++) {
        const next = graph.poolToken(pool, other);
        if (tokens.has(next)) continue;
        const found = isIn
          ? family.quoteExactIn(pool, own, other, arriving)
          : family.quoteExactOut(pool, other, own, arriving);
        if (found === REFUSED) someRefused = true;
        else if (found === 0n) someNothing = true;
        if (found <= 0n) continue;
        const [from, to, amountIn] = isIn ? [own, other, arriving] : [other, own, found];
        const gas = gasBefore + (gasPrice > 0 ? family.typicalGas(pool, from, to, amountIn) : 0);
        if (next !== goal) {
          if (depth === request.maxHops) continue;
          pools.add(pool);
          walk(next, found, depth + 1, gas);
          pools.delete(pool);
          continue;
        }
        const worth = (isIn ? found : -found) - gasCost(gasPrice, gas);
        if (amount !== undefined && (worth < net || (worth === net && depth >= hops))) continue;
        [amount, net, hops] = [found, worth, depth];
      }
    }
    tokens.delete(token);
  }

  walk(isIn ? request.tokenIn : request.tokenOut, request.amount, 1, 0);
  return { amount, net, hops, someRefused, someNothing };
}

/**
 * The fault of the best path of a request; undefined if it has none. `isAllowed` stands for the
 * request's filter.
 */
export function disagreement(
  market: OpenMarket,
  request: QuoteRequest,
  isAllowed?: (pool: PoolIndex) => boolean,
): string | undefined {
  const result = market.router.quote(request);
  const truth = bestOfAll(market, request, isAllowed);
  if (!result.found) {
    if (truth.amount === undefined) return undefined;
    return `refuses (${result.reason}) what a path gives: ${truth.amount}`;
  }
  if (truth.amount === undefined) return `gives ${netOf(request, result)}, but no path can`;
  const net = netOf(request, result);
  if (net !== truth.net) return `gives ${net} after gas, the best path ${truth.net}`;
  if (result.steps.length !== truth.hops) {
    return `takes ${result.steps.length} pools where ${truth.hops} give the same`;
  }
  const isFraction = result.priceImpact >= 0 && result.priceImpact <= 1;
  return isFraction ? undefined : `has a price impact of ${result.priceImpact}`;
}

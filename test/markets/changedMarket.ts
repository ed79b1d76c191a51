import {
  type Address,
  type Assumption,
  type MarketBlock,
  type OpenMarket,
  openSnapshot,
  type PoolIndex,
  type QuoteRequest,
  type QuoteResult,
} from "@millrace/core";
import { curves } from "@millrace/protocols";

/** An assumption with the address of its pool, since indexes are reused in time. */
export interface Addressed {
  readonly assumption: Assumption;
  readonly address: Address;
}

export function addressed(
  { graph }: OpenMarket,
  assumptions: ReadonlyArray<Assumption>,
): ReadonlyArray<Addressed> {
  return assumptions.map((assumption) => ({
    assumption,
    address: graph.poolAddress(assumption.pool),
  }));
}

/**
 * A market that really is as assumed: opened from the market's snapshot, and changed by blocks. If
 * it rejects an assumption, the place of the first one instead.
 */
export function changedMarket(
  market: OpenMarket,
  assumptions: ReadonlyArray<Addressed>,
): OpenMarket | number {
  const changed = openSnapshot(market.snapshot(), curves, market.options);
  for (const [place, assumption] of assumptions.entries()) {
    if (!change(market, changed, assumption)) return place;
  }
  return changed;
}

function change(
  { graph }: OpenMarket,
  changed: OpenMarket,
  { assumption, address }: Addressed,
): boolean {
  if (assumption.kind === "poolRemoved") {
    // The market may have removed it itself, but it cannot be assumed removed twice.
    return graph.findPool(address) === undefined || write(changed, { removedPools: [address] });
  }
  if (assumption.kind === "poolState") {
    return write(changed, { states: [{ pool: address, state: assumption.state }] });
  }
  const pool = changed.graph.findPool(address);
  if (pool === undefined) return false;
  const position = (token: typeof assumption.tokenIn) =>
    changed.graph.poolPosition(pool, changed.graph.findToken(graph.tokenAddress(token))!);
  const swap = changed.families[changed.graph.poolCurve[pool]!]!.swapExactIn(
    pool,
    position(assumption.tokenIn),
    position(assumption.tokenOut),
    assumption.amountIn,
  );
  return swap !== undefined && write(changed, { states: [{ pool: address, state: swap.state }] });
}

/** Writes a block of nothing but some changes; false when any of them was rejected. */
export function write({ graph, writer }: OpenMarket, changes: Partial<MarketBlock>): boolean {
  const nothing = { dexes: [], tokens: [], pools: [], removedPools: [], states: [], swaps: [] };
  const block = { ...nothing, supplies: [], stamp: graph.stamp, ...changes };
  return writer.applyBlock(block).rejected.length === 0;
}

/** The answer of another market with the same tokens to a market's request. */
export function answerOf(
  { graph }: OpenMarket,
  other: OpenMarket,
  request: QuoteRequest,
): QuoteResult {
  const { tokenIn, tokenOut, filter } = request;
  const token = (index: typeof tokenIn) => other.graph.findToken(graph.tokenAddress(index));
  const [otherIn, otherOut] = [token(tokenIn), token(tokenOut)];
  // A snapshot does not contain tokens without a pool.
  if (otherIn === undefined || otherOut === undefined) return { found: false, reason: "NoRoute" };
  const pools = (filter?.withoutPools ?? [])
    // A removed pool that came back has another index; the old one is unused.
    .filter((pool) => graph.findPool(graph.poolAddress(pool)) === pool)
    .map((pool) => other.graph.findPool(graph.poolAddress(pool)))
    .filter((pool) => pool !== undefined);
  return other.router.quote({
    ...request,
    tokenIn: otherIn,
    tokenOut: otherOut,
    ...(filter !== undefined && { filter: { ...filter, withoutPools: pools } }),
  });
}

/** A result without indexes, so that two markets can be compared. */
export function plainAnswer({ graph }: Pick<OpenMarket, "graph">, result: QuoteResult) {
  if (!result.found) return result;
  const steps = result.steps.map(({ pool, tokenIn, tokenOut, amountIn, amountOut }) => ({
    pool: graph.poolAddress(pool),
    tokenIn: graph.tokenAddress(tokenIn),
    tokenOut: graph.tokenAddress(tokenOut),
    amountIn,
    amountOut,
  }));
  return { ...result, steps };
}

/** Live pools of a market. */
export function livePools({ graph }: OpenMarket): PoolIndex[] {
  return Array.from({ length: graph.poolCount }, (_, pool) => pool as PoolIndex).filter((pool) =>
    graph.isLive(pool),
  );
}

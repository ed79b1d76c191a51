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

/** An assumption, with the address of its pool: indexes go to other pools in time. */
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
 * A market that really is as assumed: opened from the market's snapshot, and written to by blocks
 * with the changes. The place of the first assumption that it rejects, when it does.
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
    // It may have gone by itself, but not be assumed to go twice.
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

/** What another market of the same tokens answers to a market's request. */
export function answerOf(
  { graph }: OpenMarket,
  other: OpenMarket,
  request: QuoteRequest,
): QuoteResult {
  const { tokenIn, tokenOut, filter } = request;
  const token = (index: typeof tokenIn) => other.graph.findToken(graph.tokenAddress(index));
  const [otherIn, otherOut] = [token(tokenIn), token(tokenOut)];
  // A token without a pool is not written to a snapshot.
  if (otherIn === undefined || otherOut === undefined) return { found: false, reason: "NoRoute" };
  const pools = (filter?.withoutPools ?? [])
    // A pool that left and came back has another index: the old one is nobody's.
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

/** A result in words that two markets with other indexes have in common. */
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

import type { PoolFamily, PoolGraph, PoolIndex } from "@millrace/core";
import type { Activity } from "../activity/Activity.ts";
import type { PoolView, TokenHolding } from "../MarketData.ts";
import type { Valuer } from "../prices/Valuer.ts";

interface ViewSources {
  readonly graph: PoolGraph;
  readonly familyOf: (pool: PoolIndex) => PoolFamily;
  readonly valuer: Valuer;
  readonly activity: Activity;
}

/** Pools as readers see them; undefined for a pool that has left the market. */
export function poolViews({ graph, familyOf, valuer, activity }: ViewSources) {
  const volume24hUsd = activity.poolSum("volume24h");

  function single(index: PoolIndex): PoolView | undefined {
    return graph.isLive(index) ? view(index, volume24hUsd(index)) : undefined;
  }

  /**
   * Dollar values are those by which lists are sorted and filtered; the rest is of the graph's
   * block.
   */
  function listed(index: PoolIndex): PoolView | undefined {
    const { topology, listSnapshot } = valuer.current;
    // Another pool may have this index by now.
    if (!topology.isCurrent(graph, index)) return undefined;
    return view(index, listSnapshot.poolVolume24h[index]!);
  }

  function view(index: PoolIndex, volume24hUsd: number): PoolView {
    const { topology, poolLiquidityUsd } = valuer.current;
    const family = familyOf(index);
    const { sqrtPriceX96, liquidity } = family.priceAndLiquidity(index);
    const id = graph.poolId(index);
    return {
      index,
      address: graph.poolAddress(index),
      ...(id !== undefined && { id }),
      contract: graph.poolContract(index),
      dexIndex: graph.poolDex[index]!,
      feePips: family.feePips(index, 0, 1),
      token0: graph.poolToken(index, 0),
      token1: graph.poolToken(index, 1),
      ...(graph.poolTokenCount[index]! > 2 && { holdings: holdings(index) }),
      liquidity,
      sqrtPriceX96,
      price: midPrice(index, family),
      liquidityUsd: topology.isCurrent(graph, index) ? poolLiquidityUsd[index]! : 0,
      volume24hUsd,
      updatedBlock: graph.poolUpdatedBlock[index]!,
      lastUpdatedMs: valuer.sources.poolUpdatedMs()[index] ?? 0,
    };
  }

  function midPrice(index: PoolIndex, family: PoolFamily): number {
    const [token0, token1] = [graph.poolToken(index, 0), graph.poolToken(index, 1)];
    const ratio = 10 ** (graph.tokenDecimals[token0]! - graph.tokenDecimals[token1]!);
    const price = family.midPrice(index, 0, 1) * ratio;
    return price > 0 && price < Number.POSITIVE_INFINITY ? price : 0;
  }

  function holdings(index: PoolIndex): TokenHolding[] {
    return familyOf(index)
      .tokenAmounts(index)
      .map((amount, position) => ({ token: graph.poolToken(index, position), amount }));
  }

  return { single, listed };
}

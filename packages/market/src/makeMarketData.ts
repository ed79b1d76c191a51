import type { PoolIndex, TokenIndex } from "@millrace/core";
import { poolPage, tokenPage } from "./lists.ts";
import type {
  MarketData,
  MarketDataOptions,
  PoolView,
  PriceView,
  TokenView,
} from "./MarketData.ts";
import { UNSETTLED } from "./Valuation.ts";
import { Valuer } from "./Valuer.ts";

const DEPTH_FLOOR_USD = 1_000;

/** Nothing trades yet. */
const NO_ACTIVITY = {
  volume24hUsd: 0,
  volume6hUsd: 0,
  volume1hUsd: 0,
  volume5mUsd: 0,
  txns24h: 0,
  buys24h: 0,
  sells24h: 0,
} as const;

/**
 * The market data of a graph that already shows its first block; that block is valued before this
 * returns. Throws when the price of an anchor or the floor is not a finite number above, or at, 0.
 */
export function makeMarketData(options: MarketDataOptions): MarketData {
  const { graph, familyOf, tokenListing, supply } = options;
  const depthFloorUsd = options.depthFloorUsd ?? DEPTH_FLOOR_USD;
  checkNumbers(options, depthFloorUsd);
  const valuer = new Valuer(options, depthFloorUsd);
  valuer.settle();
  const unsubscribe = options.onApplied((block) => valuer.follow(block));
  const { sources } = valuer;

  function token(index: TokenIndex): TokenView {
    if (!(index >= 0 && index < graph.tokenCount)) throw new RangeError(`no token ${index}`);
    const { topology, priceUsd, tokenLiquidityUsd } = valuer.current;
    const { symbol, name } = tokenListing(index);
    const price = priceUsd[index] ?? 0;
    const totalSupply = supply(index);
    const capUsd =
      totalSupply === undefined
        ? 0
        : price * (Number(totalSupply) / 10 ** graph.tokenDecimals[index]!);
    const dexes = topology.dexesOf(index).map((dex) => graph.dexes[dex]!.name);
    return {
      index,
      address: graph.tokenAddress(index),
      symbol,
      name,
      decimals: graph.tokenDecimals[index]!,
      dexes: [...new Set(dexes)],
      priceUsd: price,
      liquidityUsd: tokenLiquidityUsd[index] ?? 0,
      // Nothing tells yet what of a supply does not circulate.
      ...(totalSupply !== undefined && { totalSupply, circulatingSupply: totalSupply }),
      ...(totalSupply !== undefined &&
        price > 0 &&
        Number.isFinite(capUsd) && { marketCapUsd: capUsd, fullyDilutedValuationUsd: capUsd }),
      lastUpdatedMs: sources.tokenUpdatedMs()[index] ?? 0,
      ...NO_ACTIVITY,
    };
  }

  function pool(index: PoolIndex): PoolView | undefined {
    if (!graph.isLive(index)) return undefined;
    const { topology, poolLiquidityUsd } = valuer.current;
    const { sqrtPriceX96, liquidity } = familyOf(index).priceAndLiquidity(index);
    return {
      index,
      address: graph.poolAddress(index),
      dexIndex: graph.poolDex[index]!,
      feePips: graph.poolFeePips[index]!,
      token0: graph.poolToken(index, 0),
      token1: graph.poolToken(index, 1),
      liquidity,
      sqrtPriceX96,
      liquidityUsd: topology.isCurrent(graph, index) ? poolLiquidityUsd[index]! : 0,
      volume24hUsd: 0,
      updatedBlock: graph.poolUpdatedBlock[index]!,
      lastUpdatedMs: sources.poolUpdatedMs()[index] ?? 0,
    };
  }

  function price(index: TokenIndex): PriceView {
    const { stamp, settledAt, priceUsd, confidence, depthUsd, priceFrom, pricePool } =
      valuer.current;
    const blockNumber = stamp.number;
    if ((settledAt[index] ?? UNSETTLED) === UNSETTLED) {
      return { priceUsd: 0, confidence: 0, path: [], pools: [], depthUsd: 0, blockNumber };
    }
    const path = [index];
    const pools: PoolIndex[] = [];
    for (let at = index; priceFrom[at] !== UNSETTLED; at = path.at(-1)!) {
      pools.push(pricePool[at]! as PoolIndex);
      path.push(priceFrom[at]! as TokenIndex);
    }
    return {
      priceUsd: priceUsd[index]!,
      confidence: confidence[index]!,
      anchor: path.at(-1)!,
      path: path.reverse(),
      pools: pools.reverse(),
      depthUsd: depthUsd[index]!,
      blockNumber,
    };
  }

  return {
    token,
    pool,
    price,
    tokens: (query) => {
      const { items, total } = tokenPage(valuer.current, sources, query);
      return { items: items.map(token), total };
    },
    pools: (query) => {
      const { items, total } = poolPage(valuer.current, sources, query);
      // A pool that left the market in a block that is not valued yet leaves a gap.
      return { items: items.map(pool).filter((view) => view !== undefined), total };
    },
    search: (text, limit) => {
      const { liquidityRank } = valuer.current;
      const { tokens, total } = valuer.search.find(
        text,
        valuer.byLiquidity(),
        liquidityRank,
        limit,
      );
      return { items: tokens.map((index) => token(index as TokenIndex)), total };
    },
    routableTokens: () => valuer.routable(),
    settle: () => valuer.settle(),
    close: () => {
      unsubscribe();
      valuer.stop();
    },
  };
}

function checkNumbers(options: MarketDataOptions, depthFloorUsd: number): void {
  if (!(depthFloorUsd >= 0 && depthFloorUsd < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`a depth floor of ${depthFloorUsd} dollars`);
  }
  for (const { address, priceUsd } of options.anchors) {
    if (!(priceUsd > 0 && priceUsd < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`a price of ${priceUsd} dollars for the anchor ${address}`);
    }
  }
}

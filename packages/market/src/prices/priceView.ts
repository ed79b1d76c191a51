import type { PoolGraph, PoolIndex, TokenIndex } from "@millrace/core";
import type { PriceView } from "../MarketData.ts";
import { UNSETTLED } from "./TokenPrices.ts";
import type { Valuer } from "./Valuer.ts";

/** A token's price at the block that the graph shows, with its path. */
export function priceView(valuer: Valuer, graph: PoolGraph, token: TokenIndex): PriceView {
  const prices = valuer.pricesOf(token);
  const { number: blockNumber } = prices === valuer.current ? valuer.current.stamp : graph.stamp;
  const priceUsd = prices.priceUsd[token] ?? 0;
  if (priceUsd === 0) {
    return { priceUsd: 0, confidence: 0, path: [], pools: [], depthUsd: 0, blockNumber };
  }
  const path = [token];
  const pools: PoolIndex[] = [];
  for (let at = token; prices.priceFrom[at] !== UNSETTLED; at = path.at(-1)!) {
    pools.push(prices.pricePool[at]! as PoolIndex);
    path.push(prices.priceFrom[at]! as TokenIndex);
  }
  return {
    priceUsd,
    confidence: prices.confidence[token]!,
    anchor: path.at(-1)!,
    path: path.reverse(),
    pools: pools.reverse(),
    depthUsd: prices.depthUsd[token]!,
    blockNumber,
  };
}

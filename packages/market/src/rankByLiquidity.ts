import { enlarged } from "./enlarged.ts";
import { sortByKey } from "./sorting.ts";
import type { Valuation } from "./Valuation.ts";

/** Puts all tokens in the order of their liquidity, the most liquid first, ties by address. */
export function* rankByLiquidity(valuation: Valuation): Generator<void> {
  const { catalogue, tokenLiquidityUsd } = valuation;
  const order = yield* sortByKey(catalogue.tokensByAddress, tokenLiquidityUsd, true);
  const rank = enlarged(valuation.byLiquidity.rank, order.length);
  for (let place = 0; place < order.length; place++) rank[order[place]!] = place;
  valuation.byLiquidity = { order, rank };
}

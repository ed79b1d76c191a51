import type { OpenMarket } from "@millrace/core";
import type { Pool } from "@uniswap/v3-sdk";
import type { Candidates } from "./candidates.ts";
import type { Peer } from "./Peer.ts";
import { HOPS } from "./peerMarket.ts";
import { sdkCore, UniswapPools, v3Sdk } from "./uniswapPools.ts";

/**
 * `@uniswap/v3-sdk`: `Trade.bestTradeExactIn`, which tries all paths of at most three pools, each
 * pool with its ticks in memory (`TickListDataProvider`).
 */
export function openUniswapV3(market: OpenMarket, candidates: Candidates): Peer {
  const uniswap = new UniswapPools(market);
  return {
    prepare: (request) => {
      const given = candidates(market, request).map((pool) => uniswap.pools[pool] as Pool);
      const amount = sdkCore.CurrencyAmount.fromRawAmount(
        uniswap.tokens[request.tokenIn]!,
        String(request.amount),
      );
      const tokenOut = uniswap.tokens[request.tokenOut]!;
      const options = { maxHops: HOPS, maxNumResults: 1 };
      return async () => {
        const [best] = await v3Sdk.Trade.bestTradeExactIn(given, amount, tokenOut, options);
        return () =>
          best && {
            routes: [{ amountIn: request.amount, pools: uniswap.indexesOf(best.route.pools) }],
            claimed: BigInt(String(best.outputAmount.quotient)),
          };
      };
    },
  };
}

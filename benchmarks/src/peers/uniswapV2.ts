import type { OpenMarket } from "@millrace/core";
import type { Pair } from "@uniswap/v2-sdk";
import type { Candidates } from "./candidates.ts";
import type { Peer } from "./Peer.ts";
import { HOPS } from "./peerMarket.ts";
import { sdkCore, UniswapPools, v2Sdk } from "./uniswapPools.ts";

/**
 * `@uniswap/v2-sdk`: `Trade.bestTradeExactIn`, which tries all paths of at most three pairs. It is
 * asked for one result; its default of three costs a little more.
 */
export function openUniswapV2(market: OpenMarket, candidates: Candidates): Peer {
  const uniswap = new UniswapPools(market);
  return {
    prepare: (request) => {
      const pairs = candidates(market, request).map((pool) => uniswap.pools[pool] as Pair);
      const amount = sdkCore.CurrencyAmount.fromRawAmount(
        uniswap.tokens[request.tokenIn]!,
        String(request.amount),
      );
      const tokenOut = uniswap.tokens[request.tokenOut]!;
      const options = { maxHops: HOPS, maxNumResults: 1 };
      return async () => {
        const [best] = v2Sdk.Trade.bestTradeExactIn(pairs, amount, tokenOut, options);
        return () =>
          best && {
            routes: [{ amountIn: request.amount, pools: uniswap.indexesOf(best.route.pairs) }],
            claimed: BigInt(String(best.outputAmount.quotient)),
          };
      };
    },
  };
}

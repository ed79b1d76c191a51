import { createRequire } from "node:module";
import type { OpenMarket } from "@millrace/core";
import type { Candidates } from "./candidates.ts";
import type { Peer } from "./Peer.ts";
import { HOPS } from "./peerMarket.ts";
import { sdkCore, UniswapPools } from "./uniswapPools.ts";

const require = createRequire(import.meta.url);
const { MixedRouteTrade } = require("@uniswap/router-sdk") as typeof import("@uniswap/router-sdk");

/**
 * `@uniswap/router-sdk`: `MixedRouteTrade.bestTradeExactIn`, which tries all paths of at most three
 * V2 pairs and V3 pools.
 */
export function openUniswapRouter(market: OpenMarket, candidates: Candidates): Peer {
  const uniswap = new UniswapPools(market);
  return {
    prepare: (request) => {
      const given = candidates(market, request).map((pool) => uniswap.pools[pool]!);
      const amount = sdkCore.CurrencyAmount.fromRawAmount(
        uniswap.tokens[request.tokenIn]!,
        String(request.amount),
      );
      const tokenOut = uniswap.tokens[request.tokenOut]!;
      const options = { maxHops: HOPS, maxNumResults: 1 };
      return async () => {
        const [best] = await MixedRouteTrade.bestTradeExactIn(given, amount, tokenOut, options);
        return () =>
          best && {
            routes: [{ amountIn: request.amount, pools: uniswap.indexesOf(best.route.pools) }],
            claimed: BigInt(String(best.outputAmount.quotient)),
          };
      };
    },
  };
}

import { encodeFunctionData } from "viem";
import { swapRouter02Abi, v2PairAbi } from "../contracts/abis.ts";
import { devnetRouterAbi } from "../contracts/familyAbis.ts";
import type { Transaction } from "../node/transactions.ts";
import {
  isPair,
  MAX_UINT128,
  type Market,
  type MarketPool,
  toSqrtPriceX96,
  toUnits,
} from "./Market.ts";
import type { Opening } from "./Opening.ts";
import { nativeOf } from "./openFamilyPools.ts";
import { ENDLESS, swapCall, throughDevnetRouter } from "./routerCalls.ts";

/**
 * The deployer's transactions that give pools a past, like those of an older chain: the first write
 * to a zero slot costs far more gas, and only once. Prices end where they were. The deployer must
 * have approved SwapRouter02 and the devnet's router, and the block must be at least a second after
 * the pools' opening.
 */
export const tradeEverywhere = (
  market: Market,
  openings: ReadonlyArray<Opening>,
): ReadonlyArray<Transaction> =>
  openings.map((opening) => {
    const { pool } = opening;
    if (pool.dexCode === "aerodrome") return tradeInAerodromePool(market, pool);
    return isPair(pool) ? countPrices(pool) : tradeAround(market, opening);
  });

/** Makes a pair update its cumulative prices. */
const countPrices = ({ address }: MarketPool): Transaction => ({
  to: address,
  data: encodeFunctionData({ abi: v2PairAbi, functionName: "sync" }),
});

/** Swaps a little there and back, so that there are fees in both tokens. */
function tradeInAerodromePool({ families }: Market, pool: MarketPool): Transaction {
  const swaps = [pool.token0, pool.token1].map((token) => {
    const amount = toUnits(pool.depthUsd / 10_000 / token.priceUsd, token);
    const args = [pool.address, token.address, amount] as const;
    return encodeFunctionData({ abi: devnetRouterAbi, functionName: "swapSolidly", args });
  });
  return throughDevnetRouter(families!, swaps);
}

/** Sells until the price is below all narrow ranges, buys until it is above them, and returns. */
function tradeAround(
  { contracts, deployer, families }: Market,
  { pool, ratio, ranges: [, ...narrow] }: Opening,
): Transaction {
  const { token0, token1, feePips: fee, family } = pool;
  const lowest = Math.min(...narrow.map(({ tickLower }) => tickLower)) - 1;
  const highest = Math.max(...narrow.map(({ tickUpper }) => tickUpper)) + 1;
  const turns = [
    { zeroForOne: true, sqrtPriceLimitX96: toSqrtPriceX96(1.0001 ** lowest) },
    { zeroForOne: false, sqrtPriceLimitX96: toSqrtPriceX96(1.0001 ** highest) },
    { zeroForOne: true, sqrtPriceLimitX96: toSqrtPriceX96(ratio) },
  ];
  if (family !== undefined) {
    const swaps = turns.map(({ zeroForOne, sqrtPriceLimitX96 }) =>
      swapCall(family, zeroForOne, ENDLESS, sqrtPriceLimitX96),
    );
    return throughDevnetRouter(families!, swaps, nativeOf(pool));
  }
  const swaps = turns.map(({ zeroForOne, sqrtPriceLimitX96 }) => {
    const [tokenIn, tokenOut] = zeroForOne
      ? [token0.address, token1.address]
      : [token1.address, token0.address];
    const amounts = { amountIn: MAX_UINT128, amountOutMinimum: 0n, sqrtPriceLimitX96 };
    const args = [{ tokenIn, tokenOut, fee, recipient: deployer, ...amounts }] as const;
    return encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args });
  });
  return {
    to: contracts.swapRouter02,
    data: encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [swaps] }),
  };
}

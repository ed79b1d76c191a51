import { encodeFunctionData } from "viem";
import { swapRouter02Abi, v2PairAbi } from "../contracts/abis.ts";
import type { Transaction } from "../node/transactions.ts";
import { MAX_UINT128, type Market, type MarketPool, toSqrtPriceX96 } from "./Market.ts";
import type { Opening } from "./openPools.ts";

/**
 * The transactions, each of the deployer, after which pools have a past, as on a chain of some age:
 * what a swap writes is no longer zero, which costs far more gas once and never again. Prices are
 * where they were. The deployer must have let SwapRouter02 take its tokens, and the block must be a
 * second later than the one that opened the pools.
 */
export const tradeEverywhere = (
  market: Market,
  openings: ReadonlyArray<Opening>,
): ReadonlyArray<Transaction> =>
  openings.map((opening) =>
    opening.pool.dexCode === "v3" ? tradeAround(market, opening) : countPrices(opening.pool),
  );

/** Has a pair add up its prices over time. */
const countPrices = ({ address }: MarketPool): Transaction => ({
  to: address,
  data: encodeFunctionData({ abi: v2PairAbi, functionName: "sync" }),
});

/** Sells until the price is below all narrow ranges, buys until it is above them, and goes back. */
function tradeAround(
  { contracts, deployer }: Market,
  { pool, ratio, ranges: [, ...narrow] }: Opening,
): Transaction {
  const { token0, token1, feePips: fee } = pool;
  const sell = [token0.address, token1.address] as const;
  const buy = [token1.address, token0.address] as const;
  const lowest = Math.min(...narrow.map(({ tickLower }) => tickLower)) - 1;
  const highest = Math.max(...narrow.map(({ tickUpper }) => tickUpper)) + 1;
  const swaps = [
    { direction: sell, sqrtPriceLimitX96: toSqrtPriceX96(1.0001 ** lowest) },
    { direction: buy, sqrtPriceLimitX96: toSqrtPriceX96(1.0001 ** highest) },
    { direction: sell, sqrtPriceLimitX96: toSqrtPriceX96(ratio) },
  ].map(({ direction: [tokenIn, tokenOut], sqrtPriceLimitX96 }) => {
    const amounts = { amountIn: MAX_UINT128, amountOutMinimum: 0n, sqrtPriceLimitX96 };
    const args = [{ tokenIn, tokenOut, fee, recipient: deployer, ...amounts }] as const;
    return encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args });
  });
  return {
    to: contracts.swapRouter02,
    data: encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [swaps] }),
  };
}

import { type Address, encodeFunctionData, type Hex } from "viem";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { devnetRouterAbi as abi } from "../contracts/familyAbis.ts";
import type { FamilyPool } from "../families/FamilyPool.ts";
import { keyOfPool } from "../families/uniswapV4Pools.ts";
import type { Transaction } from "../node/transactions.ts";

/** Calls of `DevnetRouter.sol`, by the family of the pool. */

/** One inside of the limits of TickMath: where swaps without a price limit end. */
const PRICE_ENDS_X96 = [4295128740n, 1461446703485210103287273052203988822378723970341n] as const;

/** More than it takes to get to any price. */
export const ENDLESS = 2n ** 126n;

/** Of exact input when the amount is positive, of exact output when it is negative. */
export function swapCall(
  pool: FamilyPool,
  zeroForOne: boolean,
  amount: bigint,
  sqrtPriceLimitX96: bigint = PRICE_ENDS_X96[zeroForOne ? 0 : 1],
): Hex {
  const rest = [zeroForOne, amount, sqrtPriceLimitX96] as const;
  return pool.family === "uniswap-v4"
    ? encodeFunctionData({ abi, functionName: "swapV4", args: [keyOfPool(pool), ...rest] })
    : encodeFunctionData({ abi, functionName: "swap", args: [pool.address, ...rest] });
}

/** For an owner, of the caller's tokens. */
export function mintCall(
  pool: FamilyPool,
  owner: Address,
  position: readonly [tickLower: number, tickUpper: number, liquidity: bigint],
): Hex {
  const rest = [owner, ...position] as const;
  if (pool.family === "uniswap-v4")
    return encodeFunctionData({ abi, functionName: "mintV4", args: [keyOfPool(pool), ...rest] });
  const args = [pool.address, isAlgebra(pool), ...rest] as const;
  return encodeFunctionData({ abi, functionName: "mint", args });
}

/** Of the caller's position at an index of its book, with what it has earned. */
export function burnCall(pool: FamilyPool, index: number, liquidity: bigint): Hex {
  const rest = [BigInt(index), liquidity] as const;
  if (pool.family === "uniswap-v4")
    return encodeFunctionData({ abi, functionName: "burnV4", args: [keyOfPool(pool), ...rest] });
  const args = [pool.address, isAlgebra(pool), ...rest] as const;
  return encodeFunctionData({ abi, functionName: "burn", args });
}

const isAlgebra = ({ family }: FamilyPool): boolean => family === "algebra-integral";

/** Together, with native tokens; what is not needed of them comes back. */
export const throughDevnetRouter = (
  { router }: Pick<FamilyContracts, "router">,
  calls: ReadonlyArray<Hex>,
  value = 0n,
): Transaction => ({
  ...{ to: router, value },
  data: encodeFunctionData({ abi, functionName: "multicall", args: [calls] }),
});

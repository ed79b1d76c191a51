import { type Address, encodeFunctionData, type Hex } from "viem";
import type { FamilyContracts } from "../contracts/FamilyContracts.ts";
import { devnetRouterAbi as abi } from "../contracts/familyAbis.ts";
import type { FamilyPool } from "../families/FamilyPool.ts";
import { keyOfPool } from "../families/uniswapV4Pools.ts";
import type { Transaction } from "../node/transactions.ts";

/** Calls to `DevnetRouter.sol`, by the pool's family. */

/** One inside TickMath's limits: where swaps without a price limit end. */
const PRICE_ENDS_X96 = [4295128740n, 1461446703485210103287273052203988822378723970341n] as const;

/** More than it takes to move to any price. */
export const ENDLESS = 2n ** 126n;

/** A positive amount is an exact input, a negative one an exact output. */
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

/** Mints a position for an owner, paid with the caller's tokens. */
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

/** Burns liquidity of the caller's position at an index of its book, with its fees. */
export function burnCall(pool: FamilyPool, index: number, liquidity: bigint): Hex {
  const rest = [BigInt(index), liquidity] as const;
  if (pool.family === "uniswap-v4")
    return encodeFunctionData({ abi, functionName: "burnV4", args: [keyOfPool(pool), ...rest] });
  const args = [pool.address, isAlgebra(pool), ...rest] as const;
  return encodeFunctionData({ abi, functionName: "burn", args });
}

const isAlgebra = ({ family }: FamilyPool): boolean => family === "algebra-integral";

/** One transaction with all calls. Native tokens that are not needed come back. */
export const throughDevnetRouter = (
  { router }: Pick<FamilyContracts, "router">,
  calls: ReadonlyArray<Hex>,
  value = 0n,
): Transaction => ({
  ...{ to: router, value },
  data: encodeFunctionData({ abi, functionName: "multicall", args: [calls] }),
});

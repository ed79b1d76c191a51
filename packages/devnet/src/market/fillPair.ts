import { type Address, encodeFunctionData, type Hex } from "viem";
import { devnetTokenAbi, multicall3Abi, v2PairAbi } from "../contracts/abis.ts";
import type { Transaction } from "../node/transactions.ts";
import type { Market, MarketToken } from "./Market.ts";
import type { Opening } from "./Opening.ts";

/**
 * Calls `create` to make a pair, pays the deployer's tokens into it, and mints shares for its
 * owner.
 */
export function fillPair(
  { contracts, deployer }: Market,
  { pool: { token0, token1, address }, owner }: Opening,
  create: { readonly target: Address; readonly callData: Hex },
  [amount0, amount1]: readonly [bigint, bigint],
): Transaction {
  const pay = (token: MarketToken, amount: bigint) => ({
    target: token.address,
    callData: encodeFunctionData({
      abi: devnetTokenAbi,
      functionName: "transferFrom",
      args: [deployer, address, amount],
    }),
  });
  const mint = encodeFunctionData({ abi: v2PairAbi, functionName: "mint", args: [owner] });
  const calls = [
    ...[create, pay(token0, amount0), pay(token1, amount1)],
    { target: address, callData: mint },
  ];
  return {
    to: contracts.multicall3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map((call) => ({ ...call, allowFailure: false }))],
    }),
  };
}

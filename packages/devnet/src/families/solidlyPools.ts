import type { Address } from "viem";
import { aerodromeFactoryAbi, aerodromePoolAbi } from "../contracts/familyAbis.ts";
import type { ChainReader } from "./ChainReader.ts";
import type { FamilyPool, FamilyQuoteRequest, SolidlyState } from "./FamilyPool.ts";

export async function readSolidlyPool(
  chain: ChainReader,
  factory: Address,
  { address, family }: FamilyPool,
): Promise<SolidlyState> {
  const abi = aerodromeFactoryAbi;
  const args = [address, family === "aerodrome-stable"] as const;
  const [[decimals0, decimals1, reserve0, reserve1], fee, isPaused] = await Promise.all([
    chain.read(address, { abi: aerodromePoolAbi, functionName: "metadata" }),
    chain.read(factory, { abi, functionName: "getFee", args }),
    chain.read(factory, { abi, functionName: "isPaused" }),
  ]);
  return {
    ...{ reserve0, reserve1, fee: Number(fee), isPaused },
    decimals0: String(decimals0).length - 1,
    decimals1: String(decimals1).length - 1,
  };
}

/** Asks the pool itself, which has no exact outputs and answers even while paused. */
export function quoteSolidlyPool(
  chain: ChainReader,
  { address, token0, token1 }: FamilyPool,
  { kind, zeroForOne, amount }: FamilyQuoteRequest,
): Promise<bigint | undefined> {
  if (kind === "exactOut") throw new Error("no contract of Aerodrome's quotes an exact output");
  const args = [amount, zeroForOne ? token0 : token1] as const;
  return chain.ask(address, { abi: aerodromePoolAbi, functionName: "getAmountOut", args });
}

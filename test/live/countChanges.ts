import type { Hex } from "@millrace/protocols";
import { numberToHex, toEventSelector } from "viem";
import type { Chain } from "./Chain.ts";

const CHANGES: ReadonlyArray<Hex> = [
  "Swap(address,uint256,uint256,uint256,uint256,address)",
  "Mint(address,uint256,uint256)",
  "Burn(address,uint256,uint256,address)",
  "Swap(address,address,int256,int256,uint160,uint128,int24)",
  "Mint(address,address,int24,int24,uint128,uint256,uint256)",
  "Burn(address,int24,int24,uint128,uint256,uint256)",
].map((event) => toEventSelector(event));

/** Swaps, mints and burns of pools that the blocks from one to another have logged. */
export async function countChanges(chain: Chain, from: number, to: number): Promise<number> {
  const filter = {
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
    topics: [CHANGES],
  };
  return (await chain.request<ReadonlyArray<unknown>>("eth_getLogs", [filter])).length;
}

import { type Address, encodeFunctionData, type Hex, type PublicClient, parseAbi } from "viem";
import type { Devnet } from "../src/index.ts";

const abi = parseAbi([
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
]);

export interface PoolState {
  readonly address: Address;
  /** Of a pair its reserves; of a concentrated pool √price, a 96-bit fraction, and liquidity. */
  readonly numbers: readonly [bigint, bigint];
}

/** All pools of a devnet at a block, by its list. */
export const readPoolStates = (
  devnet: Devnet,
  client: PublicClient,
  blockNumber?: bigint,
): Promise<ReadonlyArray<PoolState>> =>
  Promise.all(
    devnet.pools.map(async ({ address, dexId }): Promise<PoolState> => {
      const ask = async (functionName: "getReserves" | "slot0" | "liquidity") => {
        const data = encodeFunctionData({ abi, functionName });
        const block = blockNumber === undefined ? {} : { blockNumber };
        const answer = await client.call({ to: address, data, ...block });
        return (index: number) => word(answer.data, index);
      };
      if (dexId !== "UNISWAP_V3") {
        const reserve = await ask("getReserves");
        return { address, numbers: [reserve(0), reserve(1)] };
      }
      const [slot0, liquidity] = await Promise.all([ask("slot0"), ask("liquidity")]);
      return { address, numbers: [slot0(0), liquidity(0)] };
    }),
  );

const word = (data: Hex | undefined, index: number): bigint =>
  BigInt(`0x${(data ?? "0x").slice(2 + 64 * index, 66 + 64 * index)}`);

import type { Address } from "@millrace/core";
import type { Devnet } from "@millrace/devnet";
import { decodeFunctionResult, encodeFunctionData, prepareEncodeFunctionData } from "viem";
import { positionsAbi as abi } from "./abis.ts";
import type { Chain } from "./Chain.ts";

export interface Position {
  readonly tokenId: bigint;
  readonly owner: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
}

const BALANCE_OF = prepareEncodeFunctionData({ abi, functionName: "balanceOf" });
const TOKEN_OF_OWNER = prepareEncodeFunctionData({ abi, functionName: "tokenOfOwnerByIndex" });
const POSITIONS = prepareEncodeFunctionData({ abi, functionName: "positions" });

/** The traders' positions with liquidity in the position manager. */
export async function readPositions(
  chain: Chain,
  devnet: Devnet,
): Promise<ReadonlyArray<Position>> {
  const to = devnet.contracts.positionManager;
  const owners = devnet.traders.map(({ address }) => address);
  const counts = await chain.callAll(
    owners.map((owner) => ({
      to,
      data: encodeFunctionData({ ...BALANCE_OF, args: [owner] }),
    })),
  );
  const places = owners.flatMap((owner, index) =>
    Array.from({ length: Number(counts[index]) }, (_, place) => ({ owner, place })),
  );
  const tokenIds = await chain.callAll(
    places.map(({ owner, place }) => ({
      to,
      data: encodeFunctionData({ ...TOKEN_OF_OWNER, args: [owner, BigInt(place)] }),
    })),
  );
  const answers = await chain.callAll(
    tokenIds.map((tokenId) => ({
      to,
      data: encodeFunctionData({ ...POSITIONS, args: [BigInt(tokenId!)] }),
    })),
  );
  return places
    .map(({ owner }, index) => {
      const [, , token0, token1, fee, tickLower, tickUpper, liquidity] = decodeFunctionResult({
        abi,
        functionName: "positions",
        data: answers[index]!,
      });
      return {
        ...{ tokenId: BigInt(tokenIds[index]!), owner, fee, tickLower, tickUpper, liquidity },
        token0: token0.toLowerCase() as Address,
        token1: token1.toLowerCase() as Address,
      };
    })
    .filter(({ liquidity }) => liquidity > 0n);
}

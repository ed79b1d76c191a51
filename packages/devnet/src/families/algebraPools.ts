import { algebraPoolAbi, ticksPoolAbi } from "../contracts/familyAbis.ts";
import type { ChainReader } from "./ChainReader.ts";
import type { FamilyPool, TicksState } from "./FamilyPool.ts";
import { mintedTicks } from "./ticksPools.ts";

/** The fee is the plugin's current one, not the last one, which `globalState` has. */
export async function readAlgebraPool(
  chain: ChainReader,
  { address }: FamilyPool,
): Promise<TicksState> {
  const abi = algebraPoolAbi;
  const shared = ticksPoolAbi;
  const [[sqrtPriceX96, tick], liquidity, tickSpacing, fee, touched] = await Promise.all([
    chain.read(address, { abi, functionName: "globalState" }),
    chain.read(address, { abi: shared, functionName: "liquidity" }),
    chain.read(address, { abi: shared, functionName: "tickSpacing" }),
    chain.read(address, { abi: shared, functionName: "fee" }),
    mintedTicks(chain, address),
  ]);
  const nets = await Promise.all(
    touched.map(async (tick) => {
      const asked = { abi, functionName: "ticks", args: [tick] } as const;
      const [liquidityTotal, liquidityDelta] = await chain.read(address, asked);
      return { tick, liquidityTotal, liquidityDelta };
    }),
  );
  const ticks = nets
    .filter(({ liquidityTotal }) => liquidityTotal > 0n)
    .map(({ tick, liquidityDelta }) => [tick, liquidityDelta] as const);
  return { sqrtPriceX96, tick, liquidity, tickSpacing, ticks, fee };
}

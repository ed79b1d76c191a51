import { type Address, decodeEventLog, encodeEventTopics, type Hex } from "viem";
import { swapQuoterAbi, ticksPoolAbi } from "../contracts/familyAbis.ts";
import type { ChainReader } from "./ChainReader.ts";
import type { FamilyPool, FamilyQuoteRequest, TicksState } from "./FamilyPool.ts";

/** Reads a pool with ticks at its own address; its logs name the ticks. */
export async function readTicksPool(
  chain: ChainReader,
  { address }: FamilyPool,
): Promise<TicksState> {
  const abi = ticksPoolAbi;
  const [[sqrtPriceX96, tick], liquidity, tickSpacing, fee, touched] = await Promise.all([
    chain.read(address, { abi, functionName: "slot0" }),
    chain.read(address, { abi, functionName: "liquidity" }),
    chain.read(address, { abi, functionName: "tickSpacing" }),
    chain.read(address, { abi, functionName: "fee" }),
    mintedTicks(chain, address),
  ]);
  const nets = await Promise.all(
    touched.map(async (tick) => {
      const asked = { abi, functionName: "ticks", args: [tick] } as const;
      const [liquidityGross, liquidityNet] = await chain.read(address, asked);
      return { tick, liquidityGross, liquidityNet };
    }),
  );
  const ticks = nets
    .filter(({ liquidityGross }) => liquidityGross > 0n)
    .map(({ tick, liquidityNet }) => [tick, liquidityNet] as const);
  return { sqrtPriceX96, tick, liquidity, tickSpacing, ticks, fee };
}

/** Ascending. */
export async function mintedTicks(
  chain: ChainReader,
  address: Address,
): Promise<ReadonlyArray<number>> {
  const touched = new Set<number>();
  for (const log of await chain.logs(address, MINT)) {
    const { args } = decodeEventLog({ ...log, ...MINTED });
    touched.add(args.tickLower).add(args.tickUpper);
  }
  return [...touched].sort((one, other) => one - other);
}

const MINTED = { abi: ticksPoolAbi, eventName: "Mint" } as const;
const MINT = encodeEventTopics(MINTED) as [Hex];

/** By a swap that is reverted on purpose: see `SwapQuoter.sol`. */
export async function quoteTicksPool(
  chain: ChainReader,
  swapQuoter: Address,
  { address }: FamilyPool,
  { kind, zeroForOne, amount }: FamilyQuoteRequest,
): Promise<bigint | undefined> {
  const signed = kind === "exactIn" ? amount : -amount;
  const args = [address, zeroForOne, signed] as const;
  const gains = await chain.ask(swapQuoter, { abi: swapQuoterAbi, functionName: "quote", args });
  if (gains === undefined) return undefined;
  const [paid, received] = zeroForOne ? [gains[0], -gains[1]] : [gains[1], -gains[0]];
  if (kind === "exactIn") return paid === amount ? received : undefined;
  return received === amount ? paid : undefined;
}

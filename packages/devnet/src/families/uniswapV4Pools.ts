import { decodeEventLog, encodeEventTopics, type Hex } from "viem";
import { poolManagerAbi, stateViewAbi, v4QuoterAbi } from "../contracts/familyAbis.ts";
import {
  NO_HOOKS,
  type UniswapV4Contracts,
  type UniswapV4PoolKey,
} from "../contracts/uniswapV4.ts";
import type { ChainReader } from "./ChainReader.ts";
import type { FamilyPool, FamilyQuoteRequest, TicksState } from "./FamilyPool.ts";

/** The key behind a pool's id. */
export const keyOfPool = ({
  token0,
  token1,
  fee,
  tickSpacing,
  hooks,
}: FamilyPool): UniswapV4PoolKey => ({
  ...{ currency0: token0, currency1: token1, fee: fee!, tickSpacing: tickSpacing! },
  hooks: hooks ?? NO_HOOKS,
});

/** Reads through StateView, at the ticks that logs name. */
export async function readUniswapV4(
  chain: ChainReader,
  { poolManager, stateView }: UniswapV4Contracts,
  { id, tickSpacing }: FamilyPool,
): Promise<TicksState> {
  const abi = stateViewAbi;
  const ask = { abi, args: [id] } as const;
  const [[sqrtPriceX96, tick, protocolFee, fee], liquidity, logs] = await Promise.all([
    chain.read(stateView, { ...ask, functionName: "getSlot0" }),
    chain.read(stateView, { ...ask, functionName: "getLiquidity" }),
    chain.logs(poolManager, [...MODIFY_LIQUIDITY, id]),
  ]);
  const touched = new Set<number>();
  for (const log of logs) {
    const { args } = decodeEventLog({ ...log, ...MODIFIED });
    touched.add(args.tickLower).add(args.tickUpper);
  }
  const nets = await Promise.all(
    [...touched].map(async (tick) => {
      const args = [id, tick] as const;
      const found = await chain.read(stateView, { abi, functionName: "getTickLiquidity", args });
      const [liquidityGross, liquidityNet] = found;
      return { tick, liquidityGross, liquidityNet };
    }),
  );
  const ticks = nets
    .filter(({ liquidityGross }) => liquidityGross > 0n)
    .sort((one, other) => one.tick - other.tick)
    .map(({ tick, liquidityNet }) => [tick, liquidityNet] as const);
  return { sqrtPriceX96, tick, liquidity, tickSpacing: tickSpacing!, ticks, fee, protocolFee };
}

const MODIFIED = { abi: poolManagerAbi, eventName: "ModifyLiquidity" } as const;
const MODIFY_LIQUIDITY = encodeEventTopics(MODIFIED) as [Hex];

/** Asks V4Quoter, which refuses swaps that it cannot fill. */
export async function quoteUniswapV4(
  chain: ChainReader,
  { v4Quoter }: UniswapV4Contracts,
  pool: FamilyPool,
  { kind, zeroForOne, amount }: FamilyQuoteRequest,
): Promise<bigint | undefined> {
  const functionName = kind === "exactIn" ? "quoteExactInputSingle" : "quoteExactOutputSingle";
  const params = { poolKey: keyOfPool(pool), zeroForOne, exactAmount: amount, hookData: "0x" };
  const call = { abi: v4QuoterAbi, functionName, args: [params] } as const;
  const answer = await chain.ask(v4Quoter, call as never);
  return (answer as readonly [bigint, bigint] | undefined)?.[0];
}

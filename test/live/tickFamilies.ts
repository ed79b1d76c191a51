import { bookOf, type Engine, FEE_IN_STATE } from "@millrace/core";
import { type Devnet, type FamilyPool, FamilyPools, type TicksState } from "@millrace/devnet";
import type { ChainDex } from "@millrace/protocols";
import type { Chain } from "./Chain.ts";

/** The DEXes with ticks of a devnet's further families, as a chain source is configured. */
export function tickDexes({ families }: Devnet): ReadonlyArray<ChainDex> {
  const { contracts, dexes } = families!;
  const { uniswapV4, pancakeV3, algebra, slipstream } = contracts;
  const settings: Readonly<Record<string, Pick<ChainDex, "protocol" | string>>> = {
    UNISWAP_V4: {
      protocol: "uniswap-v4",
      stateView: uniswapV4.stateView,
      quoter: uniswapV4.v4Quoter,
    },
    PANCAKESWAP_V3: {
      protocol: "pancake-v3",
      deployer: pancakeV3.poolDeployer,
      initCodeHash: pancakeV3.initCodeHash,
    },
    ALGEBRA: {
      protocol: "algebra-integral",
      deployer: algebra.poolDeployer,
      initCodeHash: algebra.initCodeHash,
      quoter: algebra.quoterV2,
    },
    SLIPSTREAM: {
      protocol: "slipstream",
      initCodeHash: slipstream.initCodeHash,
      feeModules: [slipstream.swapFeeModule],
    },
  };
  return dexes.flatMap((dex) => {
    const own = settings[dex.id];
    return own === undefined ? [] : [{ ...dex, ...own } as ChainDex];
  });
}

/** What a pool is, in numbers that contracts and graph have both. */
interface TickPoolState {
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  readonly ticks: ReadonlyArray<readonly [tick: number, liquidityNet: bigint]>;
  /** Of zeroForOne, and of the other direction. */
  readonly feesPips: readonly [number, number];
}

/** As its contracts say at the newest block. */
export async function tickPoolOnChain(
  chain: Chain,
  { families }: Devnet,
  pool: FamilyPool,
): Promise<TickPoolState> {
  const request = (method: string, params: ReadonlyArray<unknown>) => chain.request(method, params);
  const state = await new FamilyPools(request, families!.contracts).state(pool);
  const { sqrtPriceX96, tick, liquidity, ticks, fee, protocolFee = 0 } = state as TicksState;
  const added = [protocolFee & 0xfff, protocolFee >> 12] as const;
  const [fee0, fee1] = added.map((part) => part + fee - Math.floor((part * fee) / 1e6));
  return { sqrtPriceX96, tick, liquidity, ticks, feesPips: [fee0!, fee1!] };
}

/** As the graph has it; undefined where it has not. */
export function tickPoolInGraph(
  { graph }: Engine["Service"],
  { id }: FamilyPool,
): TickPoolState | undefined {
  const pool = graph.findPool(id.slice(0, 42));
  if (pool === undefined || !graph.isLive(pool)) return undefined;
  const start = graph.poolStateStart[pool]!;
  const words = graph.stateWords.subarray(start, start + 7);
  const { keys, words: nets } = bookOf(graph, pool);
  const feePips = graph.poolFeePips[pool]!;
  return {
    sqrtPriceX96: words[0]! | (words[1]! << 64n) | (words[2]! << 128n),
    liquidity: words[3]! | (words[4]! << 64n),
    tick: Number(BigInt.asIntN(64, words[5]!)),
    ticks: [...keys].map((tick, at) => [
      tick,
      BigInt.asUintN(64, nets[2 * at]!) | (nets[2 * at + 1]! << 64n),
    ]),
    feesPips:
      feePips === FEE_IN_STATE
        ? [Number(words[6]! & 0xffff_ffffn), Number(words[6]! >> 32n)]
        : [feePips, feePips],
  };
}

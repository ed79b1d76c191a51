import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import { v3Chain } from "../v3Pools.ts";

/** Pools of Uniswap V3 and its forks. */
export const uniswapV3Chain = v3Chain(concentratedLiquidity.name);

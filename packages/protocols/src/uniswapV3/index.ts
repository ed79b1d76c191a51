import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { uniswapV3Calldata } from "./calldata.ts";
import { uniswapV3Chain } from "./chain.ts";
import { uniswapV3Decoder } from "./decode.ts";

/** Uniswap V3 and its forks. */
export const uniswapV3: Protocol = {
  name: "concentrated-liquidity",
  curves: [concentratedLiquidity],
  chain: uniswapV3Chain,
  calldata: uniswapV3Calldata,
  decode: uniswapV3Decoder,
};

import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { uniswapV4Calldata } from "./calldata.ts";
import { uniswapV4Chain } from "./chain.ts";
import { uniswapV4Decoder } from "./decode.ts";

/** Uniswap V4. */
export const uniswapV4: Protocol = {
  name: "uniswap-v4",
  curves: [concentratedLiquidity],
  chain: uniswapV4Chain,
  calldata: uniswapV4Calldata,
  decode: uniswapV4Decoder,
};

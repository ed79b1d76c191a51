import { constantProduct } from "../curves/constantProduct/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { uniswapV2Calldata } from "./calldata.ts";
import { uniswapV2Chain } from "./chain.ts";
import { uniswapV2Decoder } from "./decode.ts";

/** Uniswap V2 and its forks. */
export const uniswapV2: Protocol = {
  name: "constant-product",
  curves: [constantProduct],
  chain: uniswapV2Chain,
  calldata: uniswapV2Calldata,
  decode: uniswapV2Decoder,
};

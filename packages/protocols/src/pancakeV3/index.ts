import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { pancakeV3Calldata } from "./calldata.ts";
import { pancakeV3Chain } from "./chain.ts";
import { pancakeV3Decoder } from "./decode.ts";

/** PancakeSwap V3. */
export const pancakeV3: Protocol = {
  name: "pancake-v3",
  curves: [concentratedLiquidity],
  chain: pancakeV3Chain,
  calldata: pancakeV3Calldata,
  decode: pancakeV3Decoder,
};

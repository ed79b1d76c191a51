import { concentratedLiquidity } from "../curves/ticks/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { slipstreamCalldata } from "./calldata.ts";
import { slipstreamChain } from "./chain.ts";
import { slipstreamDecoder } from "./decode.ts";

/** Slipstream of Aerodrome and Velodrome. */
export const slipstream: Protocol = {
  name: "slipstream",
  curves: [concentratedLiquidity],
  chain: slipstreamChain,
  calldata: slipstreamCalldata,
  decode: slipstreamDecoder,
};

import { stableSwap } from "../curves/stableSwap/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { curveStableCalldata } from "./calldata.ts";
import { curveStableChain } from "./chain.ts";
import { curveStableDecoder } from "./decode.ts";

/** Curve's StableSwap: plain pools of all ages, and StableSwap-NG with its metapools. */
export const curveStable: Protocol = {
  name: "curve-stable",
  curves: [stableSwap],
  chain: curveStableChain,
  calldata: curveStableCalldata,
  decode: curveStableDecoder,
};

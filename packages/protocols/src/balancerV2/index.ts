import { balancerStable } from "../curves/balancerStable/pool.ts";
import { weighted } from "../curves/weighted/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { balancerV2Calldata } from "./calldata.ts";
import { balancerV2Chain } from "./chain.ts";
import { balancerV2Decoder } from "./decode.ts";

/** Balancer V2: weighted pools, stable ones and composable ones. */
export const balancerV2: Protocol = {
  name: "balancer-v2",
  curves: [weighted, balancerStable],
  chain: balancerV2Chain,
  calldata: balancerV2Calldata,
  decode: balancerV2Decoder,
};

import { balancerStable } from "../curves/balancerStable/pool.ts";
import { weighted } from "../curves/weighted/pool.ts";
import type { Protocol } from "../Protocol.ts";
import { balancerV3Calldata } from "./calldata.ts";
import { balancerV3Chain } from "./chain.ts";
import { balancerV3Decoder } from "./decode.ts";

/** Balancer V3: weighted and stable pools. */
export const balancerV3: Protocol = {
  name: "balancer-v3",
  curves: [weighted, balancerStable],
  chain: balancerV3Chain,
  calldata: balancerV3Calldata,
  decode: balancerV3Decoder,
};

import { type LegDecoder, plainLegDecoder } from "../LegDecoder.ts";

/** Legs of pools of Balancer V2: of the executor's kind 10. */
export const balancerV2Decoder: LegDecoder = plainLegDecoder("balancer-v2", 10);

import { type LegDecoder, plainLegDecoder } from "../LegDecoder.ts";

/** Legs of pools of Balancer V3: of the executor's kind 11. */
export const balancerV3Decoder: LegDecoder = plainLegDecoder("balancer-v3", 11);

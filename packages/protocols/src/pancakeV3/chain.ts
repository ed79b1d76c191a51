import { v3Chain } from "../v3Pools.ts";

/** Pools of PancakeSwap V3, whose addresses derive from a deployer that is not the factory. */
export const pancakeV3Chain = v3Chain("pancake-v3");

import type { Address } from "viem";
import type { TokenPlan } from "./networks.ts";

/** A token of a plan, deployed on a chain. */
export interface MarketToken extends TokenPlan {
  readonly address: Address;
}

import type { Address } from "viem";
import type { TokenPlan } from "./networks.ts";

/** A token of a plan once it stands on a chain. */
export interface MarketToken extends TokenPlan {
  readonly address: Address;
}

import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: the Vault swaps, the target says the pool's id. */
const VAULT_V2 = 10;

/** Pools of Balancer V2 in transactions, by their own addresses. */
export const balancerV2Calldata: CalldataProtocol = {
  name: "balancer-v2",
  executorLeg: (leg) => legDigits(VAULT_V2, leg),
  givesExactOutput: true,
  universalRouter: undefined,
};

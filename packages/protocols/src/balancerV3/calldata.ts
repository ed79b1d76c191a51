import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: the Vault is unlocked, and swaps in the callback. */
const VAULT_V3 = 11;

/** Pools of Balancer V3 in transactions. */
export const balancerV3Calldata: CalldataProtocol = {
  name: "balancer-v3",
  executorLeg: (leg) => legDigits(VAULT_V3, leg),
  givesExactOutput: true,
  universalRouter: undefined,
};

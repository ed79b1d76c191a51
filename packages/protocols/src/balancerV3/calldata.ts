import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract, whose target is the Vault. */
const BALANCER_V3 = 9;

/** Pools of Balancer V3 in transactions, by the Vault and their own addresses. */
export const balancerV3Calldata: CalldataProtocol = {
  name: "balancer-v3",
  poolKey: () => ({}),
  executorLeg: (leg) => {
    if (leg.key === undefined) throw new Error(`no Vault of the pool ${leg.pool}`);
    return legDigits(BALANCER_V3, { ...leg, pool: leg.key.manager }, leg.pool.slice(2));
  },
  givesExactOutput: false,
  universalRouter: undefined,
};

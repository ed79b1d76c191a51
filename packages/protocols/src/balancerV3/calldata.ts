import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: the Vault is unlocked, and swaps in the callback. */
const BALANCER_V3 = 9;

/** Pools of Balancer V3 in transactions, by their Vault and their addresses. */
export const balancerV3Calldata: CalldataProtocol = {
  name: "balancer-v3",
  poolKey: () => ({}),
  executorLeg: (leg) => {
    if (leg.key === undefined) throw new Error(`no key of the pool ${leg.pool}`);
    return legDigits(BALANCER_V3, { ...leg, pool: leg.key.manager }, leg.pool.slice(2));
  },
  givesExactOutput: false,
  gasBehindOthers: -12_000,
  universalRouter: undefined,
};

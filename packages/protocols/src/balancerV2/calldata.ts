import { decodePoolId, NO_CONSTANTS } from "@millrace/core";
import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract, whose target is the Vault. */
const BALANCER_V2 = 8;

/** Pools of Balancer V2 in transactions, by the Vault and their ids there. */
export const balancerV2Calldata: CalldataProtocol = {
  name: "balancer-v2",
  poolKey: ({ address, constants = NO_CONSTANTS }) => {
    const poolId = decodePoolId(address, constants);
    return poolId && { poolId };
  },
  executorLeg: (leg) => {
    const { pool, key } = leg;
    if (key === undefined || !("poolId" in key) || key.poolId === undefined) {
      throw new Error(`no id of the pool ${pool}`);
    }
    return legDigits(BALANCER_V2, { ...leg, pool: key.manager }, key.poolId.slice(2));
  },
  givesExactOutput: false,
  universalRouter: undefined,
};

import { decodePoolId, NO_CONSTANTS } from "@millrace/core";
import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: the Vault is called, with the pool's id. */
const BALANCER_V2 = 8;

/** Pools of Balancer V2 in transactions, by their Vault and their ids. */
export const balancerV2Calldata: CalldataProtocol = {
  name: "balancer-v2",
  poolKey: ({ address, constants = NO_CONSTANTS }) => {
    const poolId = decodePoolId(address, constants);
    return poolId === undefined ? undefined : { poolId };
  },
  executorLeg: (leg) => {
    if (leg.key === undefined || !("poolId" in leg.key) || leg.key.poolId === undefined) {
      throw new Error(`no key of the pool ${leg.pool}`);
    }
    const { manager, poolId } = leg.key;
    return legDigits(BALANCER_V2, { ...leg, pool: manager }, poolId.slice(2));
  },
  givesExactOutput: false,
  gasBehindOthers: -9_000,
  universalRouter: undefined,
};

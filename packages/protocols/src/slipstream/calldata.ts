import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: that of Uniswap V3 and all its forks. */
const CONCENTRATED = 3;

/** Pools of Slipstream in transactions. */
export const slipstreamCalldata: CalldataProtocol = {
  name: "slipstream",
  executorLeg: (leg) => legDigits(CONCENTRATED, leg),
  givesExactOutput: true,
  universalRouter: undefined,
};

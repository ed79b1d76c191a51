import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: that of Uniswap V3 and all its forks. */
const CONCENTRATED = 3;

/** Pools of Algebra Integral in transactions. */
export const algebraCalldata: CalldataProtocol = {
  name: "algebra-integral",
  executorLeg: (leg) => legDigits(CONCENTRATED, leg),
  givesExactOutput: true,
  universalRouter: undefined,
};

import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract: that of Uniswap V3 and all its forks. */
const CONCENTRATED = 3;

/** Pools of PancakeSwap V3 in transactions. */
export const pancakeV3Calldata: CalldataProtocol = {
  name: "pancake-v3",
  executorLeg: (leg) => legDigits(CONCENTRATED, leg),
  givesExactOutput: true,
  // Measured by `test/execution/swapGas.test.ts`.
  gasBesideCurve: 12_000,
  universalRouter: undefined,
};

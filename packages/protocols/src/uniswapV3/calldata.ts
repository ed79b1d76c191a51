import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract. */
const CONCENTRATED = 3;

/** Pools of Uniswap V3 and its forks in transactions. */
export const uniswapV3Calldata: CalldataProtocol = {
  name: "concentrated-liquidity",
  executorLeg: (leg) => legDigits(CONCENTRATED, leg),
  givesExactOutput: true,
  universalRouter: "v3",
};

import { type CalldataProtocol, executorWord } from "../CalldataProtocol.ts";

/** The kind of a leg of the executor contract. */
const CONCENTRATED = 2;

/** Pools of Uniswap V3 and its forks in transactions. */
export const uniswapV3Calldata: CalldataProtocol = {
  name: "concentrated-liquidity",
  executorLeg: (leg) => executorWord(CONCENTRATED, leg),
  universalRouter: "v3",
};

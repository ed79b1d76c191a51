import { type CalldataProtocol, executorWord } from "../CalldataProtocol.ts";
import { FEE_INSIDE } from "../curves/constantProduct/math.ts";

/** Kinds of legs of the executor contract, by rounding rule. */
const PAIR_FEE_INSIDE = 0;
const PAIR_FEE_FIRST = 1;

/** Pairs of x·y = k in transactions. */
export const uniswapV2Calldata: CalldataProtocol = {
  name: "constant-product",
  executorLeg: (leg) =>
    executorWord(leg.parameter === FEE_INSIDE ? PAIR_FEE_INSIDE : PAIR_FEE_FIRST, leg),
  universalRouter: "v2",
};

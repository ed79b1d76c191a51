import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";
import { FEE_INSIDE } from "../curves/constantProduct/math.ts";

/** Kinds of legs of the executor contract, by rounding rule. */
const PAIR = 0;
const VOLATILE = 1;
const FEE_BYTES = 3;

/** Pairs of x·y = k in transactions. */
export const uniswapV2Calldata: CalldataProtocol = {
  name: "constant-product",
  executorLeg: (leg) =>
    legDigits(
      leg.parameter === FEE_INSIDE ? PAIR : VOLATILE,
      leg,
      uintDigits(leg.feePips, FEE_BYTES),
    ),
  givesExactOutput: true,
  universalRouter: "v2",
};

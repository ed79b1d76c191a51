import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";
import { holdsNativeCoin } from "./rates.ts";

/** Kind of leg of the executor contract. */
const STABLE_SWAP = 6;

/**
 * StableSwap pools of Curve, which know their coins by their places. The executor approves, calls
 * `exchange`, and looks at its own balance for what came: old pools return nothing.
 */
export const curveStableCalldata: CalldataProtocol = {
  name: "curve-stable",
  holdsNative: ({ constants }) => holdsNativeCoin(constants),
  executorLeg: (leg) => {
    const { positionIn = leg.zeroForOne ? 0 : 1, positionOut = leg.zeroForOne ? 1 : 0 } = leg;
    return legDigits(STABLE_SWAP, leg, uintDigits(16 * positionIn + positionOut, 1));
  },
  givesExactOutput: false,
  universalRouter: undefined,
};

import { type CalldataProtocol, placedLegDigits } from "../CalldataProtocol.ts";
import { holdsNativeCoin } from "./rates.ts";

/** Kind of leg of the executor contract. */
const STABLE_SWAP = 6;

/**
 * StableSwap pools of Curve, which know their coins by position. The executor approves, calls
 * `exchange`, and finds the output by its own balance: old pools return nothing.
 */
export const curveStableCalldata: CalldataProtocol = {
  name: "curve-stable",
  holdsNative: ({ constants }) => holdsNativeCoin(constants),
  executorLeg: (leg) => placedLegDigits(STABLE_SWAP, leg),
  givesExactOutput: false,
  gasBehindOthers: -9_000,
  universalRouter: undefined,
};

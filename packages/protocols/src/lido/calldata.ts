import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** A leg of the executor that sends native tokens to a wrapper, which stakes them. */
const WRAPPER = 11;

/** Staking in transactions: the contract takes the native token itself. */
export const lidoCalldata: CalldataProtocol = {
  name: "lido",
  holdsNative: () => true,
  executorLeg: (leg) => legDigits(WRAPPER, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};

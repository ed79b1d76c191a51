import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** A leg of the executor that sends native tokens to a contract, which gives others for them. */
const STAKE = 21;

/** Staking in transactions: the contract takes the native token itself. */
export const lidoCalldata: CalldataProtocol = {
  name: "lido",
  holdsNative: () => true,
  executorLeg: (leg) => legDigits(STAKE, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};

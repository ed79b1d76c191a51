import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";
import { LIDO_GAS_BESIDE } from "../legGas.ts";

/** A leg of the executor that sends native tokens to a wrapper, which stakes them. */
const WRAPPER = 11;

/** Staking in transactions: the contract takes the native token itself. */
export const lidoCalldata: CalldataProtocol = {
  name: "lido",
  holdsNative: () => true,
  executorLeg: (leg) => legDigits(WRAPPER, leg),
  givesExactOutput: false,
  gasBesideCurve: LIDO_GAS_BESIDE,
  universalRouter: undefined,
};

import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** A leg of the executor that deposits all that came, or redeems it. */
const VAULT = 20;

/** Vaults in transactions; what they would ask for an exact output is not asked of them. */
export const erc4626Calldata: CalldataProtocol = {
  name: "erc4626",
  executorLeg: (leg) => legDigits(VAULT, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};

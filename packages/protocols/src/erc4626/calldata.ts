import { type CalldataProtocol, legDigits } from "../CalldataProtocol.ts";

/** A leg of the executor: it deposits where the vault itself is the token out, or else redeems. */
const SHARES = 10;

/** Vaults in transactions; the executor asks them for no exact output. */
export const erc4626Calldata: CalldataProtocol = {
  name: "erc4626",
  executorLeg: (leg) => legDigits(SHARES, leg),
  givesExactOutput: false,
  gasBehindOthers: -9_000,
  universalRouter: undefined,
};

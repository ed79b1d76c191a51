import { type CalldataProtocol, placedLegDigits } from "../CalldataProtocol.ts";

/** Kind of leg of the executor contract. */
const CRYPTO_SWAP = 7;

/**
 * Crypto pools of Curve, which know their coins by position, with indices of 256 bits. The wrapped
 * native token is a coin like any other.
 */
export const curveCryptoCalldata: CalldataProtocol = {
  name: "curve-crypto",
  executorLeg: (leg) => placedLegDigits(CRYPTO_SWAP, leg),
  givesExactOutput: false,
  universalRouter: undefined,
};

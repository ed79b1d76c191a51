import { type CalldataProtocol, legDigits, uintDigits } from "../CalldataProtocol.ts";

/** The kind of legs that approve a pool and call `exchange` of two indices of 256 bits. */
const EXCHANGE = 11;

/**
 * Behind target and token: the positions of both tokens, and flags, a byte each. No flag is known:
 * pools hold and take the wrapped native token as any other.
 */
export const curveCryptoCalldata: CalldataProtocol = {
  name: "curve-crypto",
  executorLeg: (leg) => {
    const [positionIn, positionOut] = leg.positions ?? (leg.zeroForOne ? [0, 1] : [1, 0]);
    return legDigits(
      EXCHANGE,
      leg,
      uintDigits(positionIn, 1) + uintDigits(positionOut, 1) + uintDigits(0, 1),
    );
  },
  givesExactOutput: false,
  universalRouter: undefined,
};

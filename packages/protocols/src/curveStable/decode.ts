import { DATA_START, type LegDecoder, readHead, readUint } from "../LegDecoder.ts";

/** Legs of StableSwap pools of Curve: of the executor's kind 6, with two places in a byte. */
export const curveStableDecoder: LegDecoder = {
  name: "curve-stable",
  byteCount: DATA_START + 1,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    const places = readUint(digits, DATA_START, 1);
    const [positionIn, positionOut] = [places >> 4, places & 0xf];
    // What goes in is the first token, or it is not.
    const isSound = kind === 6 && positionIn !== positionOut && zeroForOne === (positionIn === 0);
    if (!isSound) return undefined;
    return { target, pool: target, tokenOut, zeroForOne, positionIn, positionOut };
  },
};

import { DATA_START, type LegDecoder, readHead, readUint } from "../LegDecoder.ts";

/** Bytes of the fee. */
const FEE = 3;

/** Legs of pairs: of the executor's kinds 0 and 1, which are the rounding rules of the family. */
export const uniswapV2Decoder: LegDecoder = {
  name: "constant-product",
  byteCount: DATA_START + FEE,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    if (kind > 1) return undefined;
    const feePips = readUint(digits, DATA_START, FEE);
    return { target, pool: target, tokenOut, zeroForOne, feePips, parameter: kind };
  },
};

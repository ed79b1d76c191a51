import { DATA_START, type LegDecoder, readHead, readUint } from "../LegDecoder.ts";

const LEG_KIND_OF_EXCHANGE = 11;
/** Two positions and flags, of which none is set. */
const DATA_BYTES = 3;

export const curveCryptoDecoder: LegDecoder = {
  name: "curve-crypto",
  byteCount: DATA_START + DATA_BYTES,
  read: (digits) => {
    const { kind, target, tokenOut, zeroForOne } = readHead(digits);
    const positionIn = readUint(digits, DATA_START, 1);
    const positionOut = readUint(digits, DATA_START + 1, 1);
    const flags = readUint(digits, DATA_START + 2, 1);
    if (kind !== LEG_KIND_OF_EXCHANGE || flags !== 0) return undefined;
    if (zeroForOne !== (positionIn === 0) || positionIn === positionOut) return undefined;
    const positions = [positionIn, positionOut] as const;
    return { target, pool: target, tokenOut, zeroForOne, positions };
  },
};

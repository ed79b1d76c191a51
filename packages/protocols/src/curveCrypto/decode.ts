import { placedLegDecoder } from "../LegDecoder.ts";

export const curveCryptoDecoder = placedLegDecoder("curve-crypto", 7);

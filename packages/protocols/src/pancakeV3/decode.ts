import { plainLegDecoder } from "../LegDecoder.ts";

/** Legs of PancakeSwap V3: of the executor's kind 3. */
export const pancakeV3Decoder = plainLegDecoder("pancake-v3", 3);

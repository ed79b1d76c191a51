import { type LegDecoder, plainLegDecoder } from "../LegDecoder.ts";

/** Legs of vaults: kind 10 of the executor. */
export const erc4626Decoder: LegDecoder = plainLegDecoder("erc4626", 10);

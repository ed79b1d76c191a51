import { type LegDecoder, plainLegDecoder } from "../LegDecoder.ts";

/** Legs of staking: kind 11 of the executor. */
export const lidoDecoder: LegDecoder = plainLegDecoder("lido", 11);

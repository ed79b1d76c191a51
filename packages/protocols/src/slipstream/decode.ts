import { plainLegDecoder } from "../LegDecoder.ts";

/** Legs of Slipstream: of the executor's kind 3. */
export const slipstreamDecoder = plainLegDecoder("slipstream", 3);

import { plainLegDecoder } from "../LegDecoder.ts";

/** Legs of Algebra Integral: of the executor's kind 3. */
export const algebraDecoder = plainLegDecoder("algebra-integral", 3);

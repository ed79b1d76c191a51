import { type LegDecoder, placedLegDecoder } from "../LegDecoder.ts";

/** Legs of StableSwap pools of Curve: of the executor's kind 6. */
export const curveStableDecoder: LegDecoder = placedLegDecoder("curve-stable", 6);

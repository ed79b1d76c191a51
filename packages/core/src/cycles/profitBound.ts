import { ESTIMATE_ERROR } from "../Curve.ts";

/**
 * A part of a round trip, in value: v becomes at most `rate` × v + `bonus`, and at most v + `gain`.
 */
interface Part {
  readonly rate: number;
  readonly gain: number;
  readonly bonus: number;
}

/**
 * The most that a round trip of two parts can profit, at any size. Each bound of the first part
 * combines with each of the second: four straight lines above the output. The profit stays below
 * the crossing of a rising line with one that rises no more.
 */
export function profitBound(first: Part, second: Part): number {
  const most = first.gain + second.gain;
  const both = {
    slope: first.rate * second.rate - 1,
    at0: second.rate * first.bonus + second.bonus,
  };
  const rateThenGain = { slope: first.rate - 1, at0: first.bonus + second.gain };
  const gainThenRate = { slope: second.rate - 1, at0: second.rate * first.gain + second.bonus };
  const bound = Math.min(
    most,
    crossing(both, rateThenGain),
    crossing(both, gainThenRate),
    crossing(rateThenGain, gainThenRate),
    crossing(gainThenRate, rateThenGain),
  );
  return bound * (1 + ESTIMATE_ERROR);
}

interface Line {
  readonly slope: number;
  readonly at0: number;
}

/** The greatest value from 0 on of the lesser of a rising and a falling line; else Infinity. */
function crossing(rising: Line, falling: Line): number {
  if (!(rising.slope > 0 && falling.slope < 0)) return Number.POSITIVE_INFINITY;
  const distance = (falling.at0 - rising.at0) / (rising.slope - falling.slope);
  return distance > 0 ? rising.at0 + rising.slope * distance : falling.at0;
}

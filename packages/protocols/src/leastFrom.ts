/**
 * The least integer from `start` up for which `holds` is true; it must be true for all above. The
 * search begins at `guess`, and never calls `holds` below `start`.
 */
export function leastFrom(start: bigint, guess: bigint, holds: (value: bigint) => boolean): bigint {
  let above = guess < start ? start : guess;
  let below = above;
  if (holds(above)) {
    below -= 1n;
    for (let stride = 2n; below >= start && holds(below); stride <<= 1n) {
      above = below;
      below -= stride;
    }
    if (below < start) below = start - 1n;
  } else {
    above += 1n;
    for (let stride = 2n; !holds(above); stride <<= 1n) {
      below = above;
      above += stride;
    }
  }
  while (above - below > 1n) {
    const middle = (above + below) >> 1n;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

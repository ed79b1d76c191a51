/**
 * The least integer from `start` up that `holds`, near `guess`, where all above it do. `holds` is
 * asked of no lower one.
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

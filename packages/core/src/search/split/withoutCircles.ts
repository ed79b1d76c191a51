/**
 * Drops from a walk the edges between two visits of a token, in place, and returns the end of the
 * others. `to` has the token that each edge enters.
 */
export function withoutCircles(
  walk: Uint32Array,
  start: number,
  end: number,
  to: Uint32Array,
): number {
  let kept = start;
  for (let at = start; at < end; at++) {
    const edge = walk[at]!;
    let visited = start;
    while (visited < kept && to[walk[visited]!] !== to[edge]) visited++;
    if (visited === kept) walk[visited] = edge;
    kept = visited + 1;
  }
  return kept;
}

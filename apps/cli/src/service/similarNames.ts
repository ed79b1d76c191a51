/** A question that offers names similar to the written one; empty without any. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const wanted = written.toLowerCase();
  const slips = Math.max(1, Math.floor(wanted.length / 3));
  const similar = [...new Set(names)]
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase().slice(0, 64)) }))
    .filter(({ distance }) => distance <= slips)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3);
  if (similar.length === 0) return "";
  return `: did you mean ${similar.map(({ name }) => name).join(", ")}?`;
}

/** The Levenshtein distance: letters to add, remove or change. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let at = 1; at <= other.length; at++) {
      const changed = row[at - 1]! + (one[line - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(changed, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

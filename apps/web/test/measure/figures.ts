/** The value that a part of all values is at or below; NaN of none. */
export function quantile(values: ReadonlyArray<number>, part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** `p50`, `p95` and `p99` of times in milliseconds, in one line. */
export function timesText(what: string, values: ReadonlyArray<number>): string {
  const parts = [0.5, 0.95, 0.99].map(
    (part) => `p${100 * part} ${quantile(values, part).toFixed(1)} ms`,
  );
  return `${what}: ${parts.join(", ")}, of ${values.length}`;
}

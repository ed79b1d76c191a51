import { median } from "./statistics.ts";

/** Results of measured code go here, so that no compiler can leave the code out. */
export const sink = { value: 0 };

/**
 * Microseconds of each call, into `samples`: call i on item i. `performance.now` reads the same
 * clock as `process.hrtime`, in nanoseconds, and allocates less.
 */
export function timeCalls<A>(
  items: ReadonlyArray<A>,
  samples: Float64Array,
  call: (item: A) => number,
): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!;
    const start = performance.now();
    sink.value += call(item);
    samples[index] = 1_000 * (performance.now() - start);
  }
}

/** Nanoseconds that `timeCalls` reports for an empty call; every sample includes them. */
export function clockOverheadNs(): number {
  const items = Array.from({ length: 10_000 }, (_, index) => index);
  const samples = new Float64Array(items.length);
  const medians: number[] = [];
  for (let round = 0; round < 20; round++) {
    timeCalls(items, samples, (item) => item);
    medians.push(median(samples));
  }
  return 1_000 * median(medians);
}

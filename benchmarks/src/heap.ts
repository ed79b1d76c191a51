import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { Effect } from "effect";
import { sink } from "./clock.ts";
import type { Figure } from "./Figure.ts";

const MEGABYTE = 1_000_000;
/** Calls between two turns of the event loop, which delivers the collector's reports. */
const CALLS_AT_ONCE = 5_000;

/**
 * The heap before and after `callCount` calls, each time after a full collection, and what the
 * collector did in between. Needs --expose-gc.
 */
export const watchHeap = (
  callCount: number,
  call: (index: number) => number,
): Effect.Effect<ReadonlyArray<Figure>> =>
  Effect.promise(async () => {
    const collections = { count: 0, majorCount: 0, ms: 0 };
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { duration, detail } = entry as PerformanceEntry & { readonly detail: unknown };
        const { kind } = detail as { readonly kind: number };
        collections.count++;
        if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections.majorCount++;
        collections.ms += duration;
      }
    });
    const before = await collectedHeap();
    observer.observe({ entryTypes: ["gc"] });
    for (let index = 0; index < callCount; ) {
      const end = Math.min(callCount, index + CALLS_AT_ONCE);
      for (; index < end; index++) sink.value += call(index);
      await setImmediate();
    }
    await setImmediate();
    observer.disconnect();
    const after = await collectedHeap();
    return [
      { name: "heap.quotes", value: callCount, unit: "quotes" },
      { name: "heap.before", value: before.heap, unit: "MB" },
      { name: "heap.after", value: after.heap, unit: "MB" },
      { name: "heap.old-space.before", value: before.oldSpace, unit: "MB" },
      { name: "heap.old-space.after", value: after.oldSpace, unit: "MB" },
      { name: "gc.count", value: collections.count, unit: "collections" },
      { name: "gc.major", value: collections.majorCount, unit: "collections" },
      { name: "gc.time", value: collections.ms, unit: "ms" },
    ];
  });

async function collectedHeap(): Promise<{ readonly heap: number; readonly oldSpace: number }> {
  await setImmediate();
  // Twice: the second collects what the finalizers of the first released.
  globalThis.gc!();
  globalThis.gc!();
  const oldSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!;
  return {
    heap: process.memoryUsage().heapUsed / MEGABYTE,
    oldSpace: oldSpace.space_used_size / MEGABYTE,
  };
}

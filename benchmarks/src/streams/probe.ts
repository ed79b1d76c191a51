import { isMainThread } from "node:worker_threads";
import { PoolGraphWriter } from "@millrace/core";

// Loaded into the service before its own code (`node --expose-gc --import`): notes when blocks were
// applied, and reports that and what the process has used to whoever started it.

/** What a process reports of itself. */
export interface ProcessReport {
  /** Block numbers with the microseconds since the Unix epoch at which they were applied. */
  readonly applied: ReadonlyArray<readonly [block: number, us: number]>;
  /** Of all its threads, since its start. */
  readonly cpuUs: number;
  readonly residentBytes: number;
}

/** What asks for the bytes that are left after a full collection, instead of a report. */
export const COLLECT = "collect";

if (isMainThread) {
  let applied: Array<readonly [number, number]> = [];
  const { applyChanges } = PoolGraphWriter.prototype;
  PoolGraphWriter.prototype.applyChanges = function (block) {
    const result = applyChanges.call(this, block);
    applied.push([block.stamp.number, 1_000 * (performance.timeOrigin + performance.now())]);
    return result;
  };
  process.on("message", (asked) => {
    if (asked === COLLECT) {
      globalThis.gc!();
      const { heapUsed, external } = process.memoryUsage();
      process.send!(heapUsed + external);
      return;
    }
    const { user, system } = process.cpuUsage();
    const residentBytes = process.memoryUsage.rss();
    process.send!({ applied, cpuUs: user + system, residentBytes } satisfies ProcessReport);
    applied = [];
  });
  // Should whoever started it die, it must not stay.
  process.once("disconnect", () => process.exit());
}

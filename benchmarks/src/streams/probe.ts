import { getHeapSpaceStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";
import { PoolGraphWriter } from "@millrace/core";

// Loaded into the service before its own code (`node --expose-gc --import`): records when blocks
// were applied, and reports these times and the process's resources to its parent.

/** The report of a process about itself. */
export interface ProcessReport {
  /** Block numbers with the microseconds since the Unix epoch at which they were applied. */
  readonly applied: ReadonlyArray<readonly [block: number, us: number]>;
  /** Of all its threads, since its start. */
  readonly cpuUs: number;
  readonly residentBytes: number;
  /** Of the heap: compiled code, which grows for as long as there is more to compile. */
  readonly codeBytes: number;
}

/** The message that asks for the bytes left after a full collection, instead of a report. */
export const COLLECT = "collect";

/** Machine code; and bytecode and notes on both, which the engine keeps apart. */
const CODE_SPACES = /^(code|trusted)_/;

const code = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => CODE_SPACES.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

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
    const cpuUs = user + system;
    process.send!({ applied, cpuUs, residentBytes, codeBytes: code() } satisfies ProcessReport);
    applied = [];
  });
  // If the parent dies, this process must not stay.
  process.once("disconnect", () => process.exit());
}

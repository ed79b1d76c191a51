import { Effect } from "effect";
import type { Progress } from "../ChainOptions.ts";
import type { ShallowReading } from "./anchorDepths.ts";
import { BATCH_CALLS, type BlockReader, callAll } from "./callAll.ts";
import type { ReadablePool } from "./readStates.ts";

/**
 * Pools in one round: progress shows, and never are hundreds of thousands of answers held at once.
 */
const ROUND_POOLS = 8 * BATCH_CALLS;

/** Number of pools decoded before other work gets its turn. */
const SLICE = 256;

/** The virtual reserves of pools at the reader's block, in their order. */
export const shallowReadAll = Effect.fnUntraced(function* (
  reader: BlockReader,
  pools: ReadonlyArray<ReadablePool>,
  onProgress?: (progress: Progress) => void,
) {
  const readings: ShallowReading[] = [];
  for (let start = 0; start < pools.length; start += ROUND_POOLS) {
    const round = pools.slice(start, start + ROUND_POOLS);
    const calls = round.map(({ dex, listing }) => dex.shallowRead(listing));
    const answers = yield* callAll(reader, calls.flat());
    let at = 0;
    for (const [index, { dex, listing }] of round.entries()) {
      if (index % SLICE === SLICE - 1) yield* Effect.yieldNow;
      const from = at;
      at += calls[index]!.length;
      const reserves = dex.virtualReserves(listing, answers.slice(from, at));
      readings.push({ listing, reserves });
    }
    onProgress?.({ step: "depths", done: readings.length, total: pools.length });
  }
  return readings as ReadonlyArray<ShallowReading>;
});

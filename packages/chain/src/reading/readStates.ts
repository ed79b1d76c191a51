import type { PoolListing } from "@millrace/core";
import type {
  Asking,
  CallAnswer,
  ChainCall,
  FollowedDex,
  FollowedState,
  Refusal,
} from "@millrace/protocols";
import { Effect } from "effect";
import type { Progress } from "../ChainOptions.ts";
import { BATCH_CALLS, type BlockReader, callAll } from "./callAll.ts";

/** A pool, and how it is read. */
export interface ReadablePool {
  readonly listing: PoolListing;
  readonly dex: FollowedDex;
}

/** Calls of a round, of all pools that are read together: a few batches for each in flight. */
const ROUND_CALLS = 8 * BATCH_CALLS;
/** After so many answers of a pool others get their turn. */
const YIELD_ANSWERS = 500;

/**
 * The whole states of pools at the reader's block, in their order; undefined where a contract
 * answers what no pool of its DEX would. Pools are read side by side, so that small ones share
 * their calls.
 */
export const readStates = Effect.fnUntraced(function* (
  reader: BlockReader,
  pools: ReadonlyArray<ReadablePool>,
  onProgress?: (progress: Progress) => void,
) {
  const states = new Array<FollowedState | Refusal | undefined>(pools.length).fill(undefined);
  let open: Reading[] = [];
  let opened = 0;
  let done = 0;

  /** Takes the next step of a reading; true when there are calls to answer. */
  const step = (reading: Reading, answers: ReadonlyArray<CallAnswer>): boolean => {
    const next = reading.rounds.next(answers);
    if (next.done === true) {
      states[reading.index] = next.value;
      done++;
      return false;
    }
    reading.calls = next.value;
    return true;
  };

  while (done < pools.length) {
    let callCount = open.reduce((sum, { calls }) => sum + calls.length, 0);
    while (opened < pools.length && callCount < ROUND_CALLS) {
      const { dex, listing } = pools[opened]!;
      const reading: Reading = { index: opened++, rounds: dex.read(listing), calls: [] };
      // What a generator is given first, it does not see.
      if (!step(reading, [])) continue;
      open.push(reading);
      callCount += reading.calls.length;
    }
    const answers = yield* callAll(
      reader,
      open.flatMap(({ calls }) => calls),
    );
    const unfinished: Reading[] = [];
    let at = 0;
    for (const reading of open) {
      const from = at;
      at += reading.calls.length;
      if (step(reading, answers.slice(from, at))) unfinished.push(reading);
      // Large books take a while, and the service may be answering meanwhile.
      if (at - from > YIELD_ANSWERS) yield* Effect.yieldNow;
    }
    open = unfinished;
    onProgress?.({ step: "states", done, total: pools.length });
  }
  return states as ReadonlyArray<FollowedState | Refusal | undefined>;
});

/** A pool that is being read. */
interface Reading {
  readonly index: number;
  readonly rounds: Asking<FollowedState | Refusal | undefined>;
  /** Those of the round that is due. */
  calls: ReadonlyArray<ChainCall>;
}

import type { Asking, CallAnswer, ChainCall } from "@millrace/protocols";
import { Effect } from "effect";
import { BATCH_CALLS, type BlockReader, callAll } from "./callAll.ts";
import { callRanges, type RangeCall } from "./callRanges.ts";

/** Calls of a round, of all that ask together: a few batches for each in flight. */
const ROUND_CALLS = 8 * BATCH_CALLS;
/** So many calls of a range take as long as one of its own. */
const CALLS_IN_RANGE = 8;
/** After so many answers to one others get their turn. */
const YIELD_ANSWERS = 500;

/**
 * What comes of each of some that ask the chain, at the reader's block, in their order. They ask
 * side by side, so that those with few calls share their rounds. `onDone` hears how many are done.
 */
export const askAll = Effect.fnUntraced(function* <A>(
  reader: BlockReader,
  starts: ReadonlyArray<() => Asking<A>>,
  onDone?: (count: number) => void,
) {
  const results = new Array<A>(starts.length);
  let open: Turn<A>[] = [];
  let opened = 0;
  let done = 0;

  /** Takes the next step of one; true when it has calls to answer. */
  const step = (turn: Turn<A>, answers: ReadonlyArray<CallAnswer>): boolean => {
    const next = turn.asking.next(answers);
    if (next.done === true) {
      results[turn.index] = next.value;
      done++;
      return false;
    }
    turn.calls = next.value;
    return true;
  };

  while (done < starts.length) {
    let callCount = open.reduce((sum, { calls }) => sum + effortOf(calls), 0);
    while (opened < starts.length && callCount < ROUND_CALLS) {
      const turn: Turn<A> = { index: opened, asking: starts[opened]!(), calls: [] };
      opened++;
      // What a generator is given first, it does not see.
      if (!step(turn, [])) continue;
      open.push(turn);
      callCount += effortOf(turn.calls);
    }
    const answers = yield* answersOf(
      reader,
      open.flatMap(({ calls }) => calls),
    );
    const unfinished: Turn<A>[] = [];
    let at = 0;
    for (const turn of open) {
      const from = at;
      at += turn.calls.length;
      if (step(turn, answers.slice(from, at))) unfinished.push(turn);
      // Large books take a while, and the service may be answering meanwhile.
      if (at - from > YIELD_ANSWERS) yield* Effect.yieldNow;
    }
    open = unfinished;
    onDone?.(done);
  }
  return results as ReadonlyArray<A>;
});

/** One that asks. */
interface Turn<A> {
  readonly index: number;
  readonly asking: Asking<A>;
  /** Those of the round that is due. */
  calls: ReadonlyArray<ChainCall>;
}

const effortOf = (calls: ReadonlyArray<ChainCall>): number =>
  calls.reduce((sum, { range }) => sum + (range === undefined ? 1 : range / CALLS_IN_RANGE), 0);

const answersOf = Effect.fnUntraced(function* (
  reader: BlockReader,
  calls: ReadonlyArray<ChainCall>,
) {
  const isRange = (call: ChainCall): call is RangeCall => call.range !== undefined;
  const [ranges, others] = yield* Effect.all(
    [
      callRanges(reader, calls.filter(isRange)),
      callAll(
        reader,
        calls.filter((call) => !isRange(call)),
      ),
    ],
    { concurrency: "unbounded" },
  );
  const next = { range: 0, other: 0 };
  return calls.map((call) => (isRange(call) ? ranges[next.range++] : others[next.other++]));
});

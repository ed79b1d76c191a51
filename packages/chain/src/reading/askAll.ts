import type { Asking, CallAnswer, ChainCall } from "@millrace/protocols";
import { Effect } from "effect";
import { BATCH_CALLS, type BlockReader, callAll } from "./callAll.ts";
import { callRanges, type RangeCall } from "./callRanges.ts";

/** Calls in one round, of all askers together: a few batches for each in flight. */
const ROUND_CALLS = 8 * BATCH_CALLS;
/** This many calls of a range take as long as a single call. */
const CALLS_IN_RANGE = 8;
/** After this many answers to one asker, other work gets its turn. */
const YIELD_ANSWERS = 500;

/**
 * The results of some askers at the reader's block, in their order. They ask side by side, so that
 * those with few calls share their rounds. `onDone` gets how many are done.
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

  /** Takes the next step of an asker; true when it has calls to be answered. */
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
      // A generator does not see the value of its first `next`.
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
      // Large books take a while, and the service may have to answer meanwhile.
      if (at - from > YIELD_ANSWERS) yield* Effect.yieldNow;
    }
    open = unfinished;
    onDone?.(done);
  }
  return results as ReadonlyArray<A>;
});

/** One asker. */
interface Turn<A> {
  readonly index: number;
  readonly asking: Asking<A>;
  /** Its calls in the next round. */
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

import { holding } from "@millrace/core";
import { Effect } from "effect";

/** Work that pauses every millisecond or two, by yielding. */
export type Sliced<A> = Generator<void, A>;

/** Elements per slice of ordinary work: about half a millisecond. */
const SLICE_LENGTH = 1_024;

/** Runs the work, and lets other work run in its pauses. Thrown errors are defects. */
export const inSlices = Effect.fnUntraced(function* <A>(start: () => Sliced<A>) {
  const work = start();
  for (;;) {
    const step = holding("saving", () => work.next());
    if (step.done === true) return step.value;
    yield* Effect.yieldNow;
  }
});

/** Calls `visit` for 0 … count − 1. */
export function* forEachIndex(
  count: number,
  visit: (index: number) => void,
  sliceLength: number = SLICE_LENGTH,
): Sliced<void> {
  for (let start = 0; start < count; start += sliceLength) {
    if (start > 0) yield;
    const end = Math.min(start + sliceLength, count);
    for (let index = start; index < end; index++) visit(index);
  }
}

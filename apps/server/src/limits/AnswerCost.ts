import { Context } from "effect";
import type { Charge } from "./Limits.ts";

/** The parts of an answer's cost that are known only once it is made. */
export interface AnswerCost {
  /** Bytes of text that were made for the answer, uncompressed; by default the bytes sent. */
  madeBytes: number | undefined;
  /** Units for the request's body; none by default. */
  bodyUnits?: number;
  /** The charge for work that the handler took before it began. */
  charge?: Charge;
}

/** The cost of the answer to the current request; its handler may add what it knows. */
export const AnswerCost = Context.Reference<AnswerCost>("@millrace/server/AnswerCost", {
  defaultValue: () => ({ madeBytes: undefined }),
});

import { Context } from "effect";
import type { Charge } from "./Limits.ts";

/** What is known of the cost of an answer only once it is there. */
export interface AnswerCost {
  /** Bytes of text that were made for it, in whatever form they are sent; by default all of it. */
  madeBytes: number | undefined;
  /** Units for the body that it was asked with; none by default. */
  bodyUnits?: number;
  /** Of work that its handler had the client pay for before it began. */
  charge?: Charge;
}

/** Of the request that is answered; whoever answers it may say more. */
export const AnswerCost = Context.Reference<AnswerCost>("@millrace/server/AnswerCost", {
  defaultValue: () => ({ madeBytes: undefined }),
});

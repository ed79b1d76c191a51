import type { SwapRefusal } from "@millrace/execution";
import { Effect } from "effect";
import type { Answer } from "../answers/Answer.ts";
import { refused } from "./refusals.ts";
import type { SwapBuilder } from "./SwapBuilder.ts";

/** The longest wait for the check of routers. */
const PATIENCE_MS = 2_000;

/** An answer, and whether a router that is gone or has come would explain it. */
export interface Attempt {
  readonly answer: Answer;
  readonly doubtsRouters: boolean;
}

/**
 * The answer of an attempt. One that doubts the routers has their code checked again, and is
 * repeated if other routers are in use then.
 */
export const withSureRouters = Effect.fnUntraced(function* (
  { routers, routerCheck }: SwapBuilder,
  attempt: Effect.Effect<Attempt>,
): Effect.fn.Return<Answer> {
  const { table } = routers;
  const first = yield* attempt;
  if (!first.doubtsRouters) return first.answer;
  yield* Effect.timeoutOption(routerCheck, PATIENCE_MS);
  return routers.table === table ? first.answer : (yield* attempt).answer;
});

/** The attempt of a swap that is refused: a router that is left out may be what it lacks. */
export const refusedAttempt = (
  { network, routers }: SwapBuilder,
  refusal: SwapRefusal,
): Attempt => ({
  answer: refused(network, routers, refusal),
  doubtsRouters: refusal.code === "NO_ROUTER" && routers.leftOut() !== undefined,
});

import { Effect } from "effect";
import { type Answer, problemAnswer } from "../answers/Answer.ts";
import type { Charge } from "./Limits.ts";

/** The refusal of a charge as a problem, without its headers; undefined where it was granted. */
export const refusalOf = ({ refusal }: Charge): Answer | undefined =>
  refusal && problemAnswer(refusal.code, refusal.detail);

/** An answer with the headers of the charge for it. */
export function charged(
  answer: Answer | Effect.Effect<Answer>,
  { headers }: Charge,
): Answer | Effect.Effect<Answer> {
  // Without limits, nothing is copied.
  if (headers.length === 0) return answer;
  if (Effect.isEffect(answer)) return Effect.map(answer, (given) => withHeaders(given, headers));
  return withHeaders(answer, headers);
}

const withHeaders = (answer: Answer, headers: Charge["headers"]): Answer => ({
  ...answer,
  headers: [...(answer.headers ?? []), ...headers],
});

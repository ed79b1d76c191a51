import type { Answer } from "../answers/Answer.ts";
import { failureAt } from "../answers/failureAt.ts";
import type { Charge } from "../limits/Limits.ts";

/** The refusal of a charge for a token; undefined where it was granted. */
export const chargedToken = ({ refusal }: Charge): Answer | undefined =>
  refusal && failureAt("/tokens", refusal.code, refusal.detail);

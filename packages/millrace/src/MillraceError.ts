import type { Issue, ProblemCode } from "@millrace/api";
import type { RefusalLimit } from "@millrace/core";

/** What went wrong, for programs: the codes of the service, and those of opening and closing. */
export type MillraceErrorCode =
  | ProblemCode
  | "INVALID_CONFIG"
  | "UNREADABLE_MARKET"
  | "NOT_RECORDED"
  | "TIMED_OUT"
  | "AMBIGUOUS_SYMBOL"
  | "ABORTED"
  | "CLOSED";

interface MillraceErrorOptions extends ErrorOptions {
  readonly issues?: ReadonlyArray<Issue>;
  readonly explanation?: RefusalLimit | undefined;
}

/** What every call fails with. `message` is for people. */
export class MillraceError extends Error {
  override readonly name = "MillraceError";
  readonly code: MillraceErrorCode;
  /** Where and why a request makes no sense, as the service says it; the message says it too. */
  readonly issues: ReadonlyArray<Issue>;
  /** Which limit stood in the way of a quote, and what would do: with `explain`. */
  readonly explanation: RefusalLimit | undefined;

  constructor(
    code: MillraceErrorCode,
    message: string,
    { issues = [], explanation, ...options }: MillraceErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.issues = issues;
    this.explanation = explanation;
  }
}

/** A call whose arguments make no sense. */
export const invalidCall = (message: string): MillraceError =>
  new MillraceError("INVALID_REQUEST", message);

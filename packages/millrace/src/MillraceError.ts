import type { Issue, ProblemCode } from "@millrace/api";
import type { RefusalLimit } from "@millrace/core";

/**
 * The kind of an error, for programs: the codes of the service, and those of opening and closing.
 */
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

/** The error of every failed call. `message` is for people. */
export class MillraceError extends Error {
  override readonly name = "MillraceError";
  readonly code: MillraceErrorCode;
  /** Where and why a request is invalid, as in the service; the message says it too. */
  readonly issues: ReadonlyArray<Issue>;
  /** With `explain`: the limit that stood in the way of a quote, and what would suffice. */
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

/** The error of a call with invalid arguments. */
export const invalidCall = (message: string): MillraceError =>
  new MillraceError("INVALID_REQUEST", message);

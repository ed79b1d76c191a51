import type { ProblemCode } from "@millrace/api";

/** What went wrong, for programs: the codes of the service, and those of opening and closing. */
export type MillraceErrorCode =
  | ProblemCode
  | "INVALID_CONFIG"
  | "UNREADABLE_MARKET"
  | "TIMED_OUT"
  | "AMBIGUOUS_SYMBOL"
  | "ABORTED"
  | "CLOSED";

/** What every call fails with. `message` is for people. */
export class MillraceError extends Error {
  override readonly name = "MillraceError";
  readonly code: MillraceErrorCode;

  constructor(code: MillraceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A call whose arguments make no sense. */
export const invalidCall = (message: string): MillraceError =>
  new MillraceError("INVALID_REQUEST", message);

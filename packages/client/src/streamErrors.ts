import type { Issue, ProblemCode } from "@millrace/api";

/** Why the reading of a stream failed. That reading is over; others go on. */
export type StreamError = StreamRefused | StreamMalformed;

/** The server refused the subscription, and asking again would not help. */
export class StreamRefused extends Error {
  readonly _tag = "StreamRefused";
  override readonly name = "StreamRefused";
  readonly code: ProblemCode;
  readonly issues: ReadonlyArray<Issue>;

  constructor(code: ProblemCode, detail: string, issues: ReadonlyArray<Issue> = []) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.issues = issues;
  }
}

/** The server sent data that does not fit the channel. */
export class StreamMalformed extends Error {
  readonly _tag = "StreamMalformed";
  override readonly name = "StreamMalformed";
}

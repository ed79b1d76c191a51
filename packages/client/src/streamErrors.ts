import type { Issue, ProblemCode } from "@millrace/api";

/** Why the reading of a stream failed. It is over then; others go on. */
export type StreamError = StreamRefused | StreamMalformed;

/** The server will not have the subscription, and asking again would not help. */
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

/** The server sent something that is no value of the channel. */
export class StreamMalformed extends Error {
  readonly _tag = "StreamMalformed";
  override readonly name = "StreamMalformed";
}

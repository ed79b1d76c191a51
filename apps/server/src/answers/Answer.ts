import {
  PROBLEM_TYPE,
  PROBLEMS,
  type ProblemCode,
  type ProblemMembers,
  problemText,
} from "@millrace/api";

/** A complete answer, for direct routes and for Effect's router alike. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Headers beside those that every answer of the route has. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>;
}

/** A success whose JSON text is written already. */
export const jsonAnswer = (body: string): Answer => ({
  status: 200,
  contentType: "application/json",
  body,
});

/** A problem (RFC 9457). */
export const problemAnswer = (
  code: ProblemCode,
  detail: string,
  members?: ProblemMembers,
): Answer => ({
  status: PROBLEMS[code].status,
  contentType: PROBLEM_TYPE,
  body: problemText(code, detail, members),
});
